/* The least that any controller must do with a frame: read it, make a record durable, publish.
 *
 * floor PORT RECORD|- RECORD_OCTETS HOST TCP_PORT TOPIC PAYLOAD_OCTETS
 *
 * Reads lines from the pseudo-terminal PORT; for each one overwrites RECORD_OCTETS of an already
 * written file and syncs them (`-`: keeps them in memory), publishes PAYLOAD_OCTETS with QoS 1
 * under MQTT 3.1.1 and waits for the PUBACK. One frame after the other, nothing is batched.
 * A file that does not grow is the quickest that a disk can sync: no metadata has to follow.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* As the journal's log is folded at 4 MiB, the floor too wraps there. */
enum { FILE_OCTETS = 4 << 20, RECORD_OCTETS_MAX = 65536, LINE_OCTETS_MAX = 4096 };

static unsigned char record[RECORD_OCTETS_MAX];
static unsigned char packet[RECORD_OCTETS_MAX];

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void write_all(int to, const unsigned char *octets, size_t count) {
    while (count > 0) {
        ssize_t taken = write(to, octets, count);
        if (taken < 0) die("write");
        octets += taken;
        count -= (size_t)taken;
    }
}

static void read_all(int from, unsigned char *octets, size_t count) {
    while (count > 0) {
        ssize_t given = read(from, octets, count);
        if (given <= 0) die("read from the broker");
        octets += given;
        count -= (size_t)given;
    }
}

static int open_line(const char *path) {
    struct termios raw;
    int line = open(path, O_RDWR | O_NOCTTY);
    if (line < 0 || tcgetattr(line, &raw) < 0) die(path);
    cfmakeraw(&raw);
    if (tcsetattr(line, TCSANOW, &raw) < 0) die("tcsetattr");
    return line;
}

static int open_record(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0) die(path);
    for (int written = 0; written < FILE_OCTETS; written += RECORD_OCTETS_MAX)
        write_all(file, record, RECORD_OCTETS_MAX);
    if (fsync(file) < 0) die("fsync");
    return file;
}

static int open_broker(const char *host, int port) {
    static const unsigned char hello[] = {0x10, 17, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0,
                                          0, 5, 'f', 'l', 'o', 'o', 'r'};
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    unsigned char answer[4];
    int one = 1, broker = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, host, &where.sin_addr);
    if (broker < 0 || connect(broker, (struct sockaddr *)&where, sizeof where) < 0) die("broker");
    setsockopt(broker, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    write_all(broker, hello, sizeof hello);
    read_all(broker, answer, sizeof answer);
    if (answer[0] != 0x20 || answer[3] != 0) {
        fputs("the broker refuses the floor\n", stderr);
        exit(1);
    }
    return broker;
}

/* Builds a PUBLISH of QoS 1 once; gives its length and, in `at`, where the packet id stands. */
static size_t packet_of(const char *topic, size_t payload, size_t *at) {
    size_t name = strlen(topic), rest = 2 + name + 2 + payload, n = 0;
    packet[n++] = 0x32;
    do {
        packet[n++] = (unsigned char)((rest % 128) | (rest >= 128 ? 128 : 0));
        rest /= 128;
    } while (rest > 0);
    packet[n++] = (unsigned char)(name >> 8);
    packet[n++] = (unsigned char)name;
    memcpy(packet + n, topic, name);
    n += name;
    *at = n;
    memset(packet + n + 2, 'f', payload);
    return n + 2 + payload;
}

int main(int count, char **words) {
    static unsigned char heard[LINE_OCTETS_MAX];
    if (count != 8) {
        fputs("floor PORT RECORD|- OCTETS HOST TCP_PORT TOPIC PAYLOAD_OCTETS\n", stderr);
        return 2;
    }
    size_t octets = (size_t)atoi(words[3]), payload = (size_t)atoi(words[7]), at, length;
    if (octets > RECORD_OCTETS_MAX || payload > RECORD_OCTETS_MAX / 2) return 2;
    memset(record, 'r', sizeof record);
    int line = open_line(words[1]);
    int file = strcmp(words[2], "-") ? open_record(words[2]) : -1;
    int broker = open_broker(words[4], atoi(words[5]));
    length = packet_of(words[6], payload, &at);
    off_t offset = 0;
    uint16_t number = 0;
    puts("ready");
    fflush(stdout);
    for (;;) {
        unsigned char answer[4];
        ssize_t given = read(line, heard, sizeof heard);
        if (given <= 0) return 0;
        for (ssize_t i = 0; i < given; i++) {
            if (heard[i] != '\n') continue;
            if (file >= 0) {
                if (offset + (off_t)octets > FILE_OCTETS) offset = 0;
                if (pwrite(file, record, octets, offset) != (ssize_t)octets) die("record");
                offset += (off_t)octets;
                if (fdatasync(file) < 0) die("fdatasync");
            }
            number = (uint16_t)(number == 65535 ? 1 : number + 1);
            packet[at] = (unsigned char)(number >> 8);
            packet[at + 1] = (unsigned char)number;
            write_all(broker, packet, length);
            read_all(broker, answer, sizeof answer);
        }
    }
}
