/* A disk that fails on demand, for a process that is started with LD_PRELOAD.
 *
 * DISK_SHIM_ORDERS names a file; its first word says what happens to writes and syncs of files
 * whose path holds "journal": none, full (ENOSPC), readonly (EROFS), sync (EIO of syncs alone),
 * stall (nothing comes back until the order changes). An order that is not there is none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int ours(int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return strstr(path, "journal") != NULL;
}

static void order(char *word, size_t size)
{
    const char *name = getenv("DISK_SHIM_ORDERS");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = file < 0 ? 0 : read(file, word, size - 1);
    if (file >= 0)
        close(file);
    word[length < 0 ? 0 : length] = 0;
}

static int refused(int descriptor, int syncing)
{
    char word[16];
    if (!ours(descriptor))
        return 0;
    for (;;) {
        order(word, sizeof word);
        if (strncmp(word, "stall", 5) != 0)
            break;
        usleep(20000);
    }
    if (strncmp(word, "full", 4) == 0 && !syncing)
        return ENOSPC;
    if (strncmp(word, "readonly", 8) == 0 && !syncing)
        return EROFS;
    if (strncmp(word, "sync", 4) == 0 && syncing)
        return EIO;
    return 0;
}

#define FAIL_IF(syncing)                          \
    do {                                          \
        int why = refused(descriptor, syncing);   \
        if (why) {                                \
            errno = why;                          \
            return -1;                            \
        }                                         \
    } while (0)

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "pwrite64");
    FAIL_IF(0);
    return real(descriptor, bytes, count, at);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at)
{
    return pwrite64(descriptor, bytes, count, at);
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "write");
    FAIL_IF(0);
    return real(descriptor, bytes, count);
}

int ftruncate64(int descriptor, off64_t size)
{
    static int (*real)(int, off64_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "ftruncate64");
    FAIL_IF(0);
    return real(descriptor, size);
}

int ftruncate(int descriptor, off_t size)
{
    return ftruncate64(descriptor, size);
}

int fdatasync(int descriptor)
{
    static int (*real)(int);
    if (!real)
        real = dlsym(RTLD_NEXT, "fdatasync");
    FAIL_IF(1);
    return real(descriptor);
}

int fsync(int descriptor)
{
    static int (*real)(int);
    if (!real)
        real = dlsym(RTLD_NEXT, "fsync");
    FAIL_IF(1);
    return real(descriptor);
}
