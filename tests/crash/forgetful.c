/* Preloaded into a process, it keeps a picture of each file of one folder as of its last sync:
 * what a medium that forgets all that was not synced would hold after a power cut.
 *
 * FORGETFUL_FROM names the folder, FORGETFUL_TO where the pictures stand. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int copy(int from, const char *name) {
    char fresh[PATH_MAX], kept[PATH_MAX], octets[65536];
    const char *folder = getenv("FORGETFUL_TO");
    if (snprintf(fresh, sizeof fresh, "%s/.fresh", folder) >= (int)sizeof fresh ||
        snprintf(kept, sizeof kept, "%s/%s", folder, name) >= (int)sizeof kept) {
        return -1;
    }
    int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to < 0) {
        return -1;
    }
    off_t at = 0;
    ssize_t count;
    while ((count = pread(from, octets, sizeof octets, at)) > 0) {
        if (write(to, octets, (size_t)count) != count) {
            close(to);
            return -1;
        }
        at += count;
    }
    close(to);
    /* In one step, so that the process may be killed at any moment. */
    return rename(fresh, kept);
}

/* A name is gone for good only once its folder was synced. */
static void forget_what_is_gone(const char *folder) {
    const char *pictures = getenv("FORGETFUL_TO");
    DIR *kept = opendir(pictures);
    struct dirent *one;
    while (kept != NULL && (one = readdir(kept)) != NULL) {
        char live[PATH_MAX], picture[PATH_MAX];
        snprintf(live, sizeof live, "%s/%s", folder, one->d_name);
        snprintf(picture, sizeof picture, "%s/%s", pictures, one->d_name);
        if (one->d_name[0] != '.' && access(live, F_OK) != 0) {
            unlink(picture);
        }
    }
    if (kept != NULL) {
        closedir(kept);
    }
}

static void keep(int file) {
    char link[64], place[PATH_MAX];
    const char *folder = getenv("FORGETFUL_FROM");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, place, sizeof place - 1);
    if (folder == NULL || length <= 0) {
        return;
    }
    place[length] = 0;
    size_t prefix = strlen(folder);
    if (strcmp(place, folder) == 0) {
        forget_what_is_gone(folder);
        return;
    }
    if (strncmp(place, folder, prefix) != 0 || place[prefix] != '/' ||
        strchr(place + prefix + 1, '/') != NULL) {
        return;
    }
    if (copy(file, place + prefix + 1) != 0) {
        abort();
    }
}

int fsync(int file) {
    static int (*real)(int);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    }
    int done = real(file);
    keep(file);
    return done;
}

int fdatasync(int file) {
    static int (*real)(int);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
    }
    int done = real(file);
    keep(file);
    return done;
}
