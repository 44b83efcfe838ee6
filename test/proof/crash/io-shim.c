/*
 * Watches, journals and spoils the file operations that SQLite performs in one folder. Preloaded into the service
 * (LD_PRELOAD); Linux and glibc only. It has four uses:
 *
 *   state    A shared file tells in which part of a commit the service is, so that whoever kills it knows whether the
 *            kill hit a commit. The same file can arm a kill at the n-th event of a kind. The process for changes counts
 *            as the service; those that read do not.
 *   journal  Every write, truncation, creation, renaming, removal and completed sync is recorded in order. From the
 *            journal a test builds what a disk may hold after a power cut. The runtime's own file operations do not pass
 *            here; ../failover/disk-recorder.ts has them call these functions.
 *   sync     `real` passes fsync on, `journal` only records it (the journal decides what is durable, so the real call
 *            would only cost time), `ignore` neither performs nor records it: a build with fsync switched off. `ignoreLog`
 *            ignores the syncs of the write-ahead log alone, and is `journal` for all others: a build that answers
 *            before a commit is durable.
 *   fail     The same shared file counts all operations, opens and reads included, and can make a range of them fail with
 *            an error number, and each of them slow. It also shifts the system's clock. With IO_SHIM_SHARED, operations
 *            on the shared memory of the log (its index) count, too, and the mapping of files.
 *
 * Environment: IO_SHIM_DIR (absolute path of the folder), IO_SHIM_STATE, IO_SHIM_JOURNAL (absent: no journal),
 * IO_SHIM_SYNC, IO_SHIM_SYNC_US (time that each sync takes, in microseconds, beside that of the real one).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The current phase of the process; shim.ts has the same numbers. */
enum phase { IDLE = 0, LOG_WRITE = 1, LOG_SYNC = 2, DATA_WRITE = 3, DATA_SYNC = 4 };

/* Events at which a kill can be armed; shim.ts has the same numbers. */
enum event {
  NO_EVENT = 0,
  BEFORE_LOG_WRITE = 1,
  TORN_LOG_WRITE = 2,
  BEFORE_LOG_SYNC = 3,
  AFTER_LOG_SYNC = 4,
  BEFORE_DATA_WRITE = 5,
  BEFORE_DATA_SYNC = 6,
  BEFORE_TRUNCATE = 7,
};

#define MOST_DESCRIPTORS 65536
#define MOST_FILES 1024

struct state {
  _Atomic uint32_t phase;
  _Atomic uint32_t armed_event;
  _Atomic uint32_t armed_count;
  _Atomic uint32_t fired_event;
  _Atomic uint64_t log_writes;
  _Atomic uint64_t log_syncs;
  _Atomic uint64_t data_writes;
  _Atomic uint64_t data_syncs;
  /* Operations so far; those with a number in [fail_from, fail_until) fail with `fail_error`. */
  _Atomic uint64_t calls;
  _Atomic uint64_t fail_from;
  _Atomic uint64_t fail_until;
  _Atomic uint64_t failed;
  _Atomic uint32_t fail_error;
  /* Additional time for each operation, in microseconds. */
  _Atomic uint32_t delay_us;
  /* Kinds of operations that fail, a sum of `enum kind`; 0: all. */
  _Atomic uint32_t fail_kinds;
  /* Kind of the operation that failed last. */
  _Atomic uint32_t failed_kind;
  /* By how much the system's clock is shifted, in milliseconds; timers run as before. */
  _Atomic int64_t clock_shift_ms;
  /* The files of the folder, which all processes number alike. Under the mutex of the processes. */
  pthread_mutex_t mutex;
  _Atomic uint32_t begun; /* 1 while a process initializes the mutex, then 2 */
  uint32_t file_count;
  /* Number of the last file in the journal, and where to look for the place of a removed one. */
  uint32_t last_number;
  uint32_t next_place;
  uint64_t sync_number;
  struct file {
    ino_t inode;
    uint32_t role;
    uint32_t live;
    uint32_t number;
    char name[64];
  } files[MOST_FILES];
};

/* Kinds of operations; shim.ts has the same numbers. */
enum kind { OPEN = 1, READ = 2, WRITE = 4, SYNC = 8, REMOVE = 16, MAP = 32 };

/* Kinds of records in the journal; disk.ts has the same letters. */
struct record {
  uint32_t kind; /* 'O' opened, 'C' created, 'W' write, 'T' truncate, 'S' sync begun, 'E' sync ended, 'L' named, 'U' unlinked */
  uint32_t file; /* 0: the folder itself */
  uint64_t offset; /* of a write; new size of a truncation; number of a sync */
  uint64_t length; /* of the bytes that follow: data of a write, name of a file */
};

/* Size of the file that processes share; STATE_BYTES in shim.ts must be equal. */
_Static_assert(sizeof(struct state) <= 96 * 1024, "the state has no room");

enum role { OTHER = 0, LOG = 1, DATA = 2 };

/* Number of the file behind each descriptor plus one; 0: not watched. */
static _Atomic uint32_t watched[MOST_DESCRIPTORS];
/* Whether a descriptor is that of the log's shared memory, and operations on it count. */
static _Atomic uint8_t shared[MOST_DESCRIPTORS];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char folder[PATH_MAX];
static size_t folder_length;
static struct state own_state, *state = &own_state;
static int journal = -1;
static enum { REAL, JOURNAL, IGNORE, IGNORE_LOG } sync_mode = REAL;
static int counts_shared;
static long sync_us;
static pid_t own_process;
/* The process of the service, which a kill ends, too. */
static pid_t service;

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* Locks the files; a process that was killed meanwhile has left them as they are. */
static void lock(void) {
  if (pthread_mutex_lock(&state->mutex) == EOWNERDEAD) pthread_mutex_consistent(&state->mutex);
}

static void unlock(void) { pthread_mutex_unlock(&state->mutex); }

static void begin_state(void) {
  uint32_t untouched = 0;
  if (!atomic_compare_exchange_strong(&state->begun, &untouched, 1)) {
    while (atomic_load(&state->begun) != 2) {}
    return;
  }
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&state->mutex, &attributes);
  state->file_count = 1;
  atomic_store(&state->begun, 2);
}

/*
** Returns whether this process counts: the service and its process for changes. The one that copies a backup does not,
** and is not killed in the place of the service.
*/
static int counts(void) {
  char text[4096];
  service = own_process;
  int fd = real_open("/proc/self/cmdline", O_RDONLY);
  ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) real_close(fd);
  if (length <= 0) return 1;
  text[length] = 0;
  for (char *word = text; word < text + length; word += strlen(word) + 1) {
    if (strcmp(word, "--backup-process") == 0) return 0;
    if (strcmp(word, "--statement-process") != 0) continue;
    char *parent = word + strlen(word) + 1, *role = parent + strlen(parent) + 1;
    if (role >= text + length || strcmp(role, "changes") != 0) return 0;
    service = atoi(parent);
  }
  return 1;
}

static void start(void) {
  own_process = getpid();
  real_open = dlsym(RTLD_NEXT, "open64");
  real_close = dlsym(RTLD_NEXT, "close");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  const char *path = getenv("IO_SHIM_DIR");
  if (path == NULL || strlen(path) >= sizeof folder) return;
  strcpy(folder, path);
  if (!counts()) return;
  const char *state_path = getenv("IO_SHIM_STATE");
  if (state_path != NULL) {
    int fd = real_open(state_path, O_RDWR | O_CLOEXEC);
    void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) state = memory;
    if (fd >= 0) real_close(fd);
  }
  begin_state();
  const char *journal_path = getenv("IO_SHIM_JOURNAL");
  if (journal_path != NULL) journal = real_open(journal_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char *mode = getenv("IO_SHIM_SYNC");
  if (mode != NULL && strcmp(mode, "journal") == 0) sync_mode = JOURNAL;
  if (mode != NULL && strcmp(mode, "ignore") == 0) sync_mode = IGNORE;
  if (mode != NULL && strcmp(mode, "ignoreLog") == 0) sync_mode = IGNORE_LOG;
  counts_shared = getenv("IO_SHIM_SHARED") != NULL;
  const char *delay = getenv("IO_SHIM_SYNC_US");
  if (delay != NULL) sync_us = atol(delay);
  /* Last: a length of 0 means that nothing is watched. */
  folder_length = strlen(folder);
}

__attribute__((constructor)) static void begin(void) { pthread_once(&once, start); }

static void ready(void) {
  if (real_open == NULL) pthread_once(&once, start);
}

/* Shared memory of SQLite: rebuilt from the log, never durable. */
static int is_shared(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, "-shm") == 0;
}

static const char *name_in_folder(const char *path) {
  if (folder_length == 0 || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return NULL;
  const char *name = path + folder_length + 1;
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof state->files[0].name || strchr(name, '/') != NULL) return NULL;
  return name;
}

/* The name of a file of the folder; NULL: it is not watched. */
static const char *name_of(const char *path) {
  const char *name = name_in_folder(path);
  return name == NULL || is_shared(name) ? NULL : name;
}

/* Call with the mutex held, and the place of a file in `files`. A kill inside leaves a part of a record at the end, which readers ignore. */
static void record(uint32_t kind, uint32_t file, uint64_t offset, const void *data, size_t length) {
  if (journal < 0) return;
  struct record head = {kind, state->files[file].number, offset, length};
  struct iovec parts[2] = {{&head, sizeof head}, {(void *)data, length}};
  ssize_t written = writev(journal, parts, length == 0 ? 1 : 2);
  /* A journal with a hole would make a sound service look broken. */
  if (written != (ssize_t)(sizeof head + length)) abort();
}

/* Kills the process when `event` is the one at which a kill is armed. */
static void reached(enum event event) {
  if (atomic_load(&state->armed_event) != event) return;
  if (atomic_fetch_sub(&state->armed_count, 1) != 1) return;
  atomic_store(&state->fired_event, event);
  kill(service, SIGKILL);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int is_event(enum event event) {
  return atomic_load(&state->armed_event) == event && atomic_load(&state->armed_count) == 1;
}

static void wait_us(long us) {
  struct timespec wait = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&wait, NULL);
}

/* Counts an operation. Returns 1, with errno set, if it must fail. */
static int fails(enum kind kind) {
  uint64_t number = atomic_fetch_add(&state->calls, 1) + 1;
  uint32_t delay = atomic_load(&state->delay_us);
  if (delay > 0) wait_us(delay);
  uint32_t kinds = atomic_load(&state->fail_kinds);
  if (kinds != 0 && (kinds & kind) == 0) return 0;
  if (number < atomic_load(&state->fail_from) || number >= atomic_load(&state->fail_until)) return 0;
  atomic_store(&state->failed_kind, kind);
  atomic_fetch_add(&state->failed, 1);
  errno = (int)atomic_load(&state->fail_error);
  return 1;
}

/* Returns the place of a new file: a free one, or that of a file that was removed, the longest ago. */
static uint32_t new_place(void) {
  if (state->file_count < MOST_FILES) return state->file_count++;
  for (uint32_t tries = 1; tries < MOST_FILES; tries++) {
    uint32_t place = 1 + state->next_place++ % (MOST_FILES - 1);
    if (!state->files[place].live) return place;
  }
  abort();
}

static uint32_t watch(int fd, const char *name, int existed) {
  struct stat about;
  if (fd >= MOST_DESCRIPTORS || fstat(fd, &about) != 0) return 0;
  for (uint32_t number = 1; number < state->file_count; number++) {
    struct file *file = &state->files[number];
    if (file->live && file->inode == about.st_ino && strcmp(file->name, name) == 0) {
      atomic_store(&watched[fd], number + 1);
      return number;
    }
  }
  uint32_t number = new_place();
  state->files[number].number = ++state->last_number;
  size_t length = strlen(name);
  state->files[number].inode = about.st_ino;
  state->files[number].live = 1;
  state->files[number].role = strcmp(name, "svc.db") == 0 ? DATA : strcmp(name, "svc.db-wal") == 0 ? LOG : OTHER;
  strcpy(state->files[number].name, name);
  record(existed ? 'O' : 'C', number, 0, name, length);
  atomic_store(&watched[fd], number + 1);
  return number;
}

static int open_file(const char *path, int flags, mode_t mode) {
  ready();
  if (folder_length > 0 && strcmp(path, folder) == 0) {
    int fd = real_open(path, flags, mode);
    if (fd >= 0 && fd < MOST_DESCRIPTORS) atomic_store(&watched[fd], 1);
    return fd;
  }
  const char *name = name_in_folder(path);
  if (name != NULL && is_shared(name)) {
    if (counts_shared && fails(OPEN)) return -1;
    int fd = real_open(path, flags, mode);
    if (fd >= 0 && fd < MOST_DESCRIPTORS) atomic_store(&shared[fd], counts_shared);
    return fd;
  }
  if (name == NULL) return real_open(path, flags, mode);
  if (fails(OPEN)) return -1;
  lock();
  struct stat about;
  int existed = stat(path, &about) == 0;
  int fd = real_open(path, flags, mode);
  int error = errno;
  if (fd >= 0) watch(fd, name, existed);
  unlock();
  errno = error;
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags | O_LARGEFILE, mode);
}

int close(int fd) {
  ready();
  /* A child between vfork and exec shares this memory but not the descriptors. */
  if (fd >= 0 && fd < MOST_DESCRIPTORS && atomic_load(&watched[fd]) != 0 && getpid() == own_process)
    atomic_store(&watched[fd], 0);
  if (fd >= 0 && fd < MOST_DESCRIPTORS && getpid() == own_process) atomic_store(&shared[fd], 0);
  return real_close(fd);
}

/* Number of the watched file behind a descriptor, 0 for the folder; -1: not watched. */
static int64_t file_of(int fd) {
  if (fd < 0 || fd >= MOST_DESCRIPTORS) return -1;
  return (int64_t)atomic_load(&watched[fd]) - 1;
}

ssize_t pread64(int fd, void *data, size_t length, off64_t offset) {
  ready();
  if (file_of(fd) > 0 && fails(READ)) return -1;
  return real_pread(fd, data, length, offset);
}

ssize_t pread(int fd, void *data, size_t length, off_t offset) { return pread64(fd, data, length, offset); }

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  ready();
  int64_t file = file_of(fd);
  if (file <= 0) return real_pwrite(fd, data, length, offset);
  if (fails(WRITE)) return -1;
  enum role role = state->files[file].role;
  lock();
  if (role == LOG) {
    atomic_store(&state->phase, LOG_WRITE);
    atomic_fetch_add(&state->log_writes, 1);
    if (is_event(TORN_LOG_WRITE)) {
      size_t half = length / 2;
      if (half > 0 && real_pwrite(fd, data, half, offset) == (ssize_t)half) record('W', file, offset, data, half);
    }
    reached(TORN_LOG_WRITE);
    reached(BEFORE_LOG_WRITE);
  } else if (role == DATA) {
    atomic_store(&state->phase, DATA_WRITE);
    atomic_fetch_add(&state->data_writes, 1);
    reached(BEFORE_DATA_WRITE);
  }
  ssize_t written = real_pwrite(fd, data, length, offset);
  int error = errno;
  if (written > 0) record('W', file, offset, data, written);
  unlock();
  errno = error;
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

/* SQLite writes at an offset; a plain write to a watched file would escape the journal. */
ssize_t write(int fd, const void *data, size_t length) {
  ready();
  if (file_of(fd) > 0) abort();
  return real_write(fd, data, length);
}

static int is_shared_descriptor(int fd) {
  return fd >= 0 && fd < MOST_DESCRIPTORS && atomic_load(&shared[fd]) != 0;
}

int ftruncate64(int fd, off64_t size) {
  ready();
  int64_t file = file_of(fd);
  if (is_shared_descriptor(fd) && fails(WRITE)) return -1;
  if (file <= 0) return real_ftruncate(fd, size);
  if (fails(WRITE)) return -1;
  lock();
  reached(BEFORE_TRUNCATE);
  int result = real_ftruncate(fd, size);
  int error = errno;
  if (result == 0) record('T', file, size, NULL, 0);
  unlock();
  errno = error;
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* The call itself instead of the one of the library: the linker maps files before anything can be looked up. */
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
  if (counts_shared && (is_shared_descriptor(fd) || file_of(fd) > 0) && fails(MAP)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap64(address, length, protection, flags, fd, offset);
}

static int sync_file(int fd, int (*real)(int)) {
  int64_t file = file_of(fd);
  if (file < 0) return real(fd);
  if (fails(SYNC)) return -1;
  enum role role = file == 0 ? OTHER : state->files[file].role;
  if (role == LOG) {
    atomic_store(&state->phase, LOG_SYNC);
    reached(BEFORE_LOG_SYNC);
  } else if (role == DATA) {
    atomic_store(&state->phase, DATA_SYNC);
    reached(BEFORE_DATA_SYNC);
  }
  int is_ignored = sync_mode == IGNORE || (sync_mode == IGNORE_LOG && role == LOG);
  uint64_t number = 0;
  if (!is_ignored) {
    lock();
    number = ++state->sync_number;
    record('S', file, number, NULL, 0);
    unlock();
  }
  if (sync_us > 0) wait_us(sync_us);
  int result = sync_mode == REAL ? real(fd) : 0;
  int error = errno;
  if (result == 0 && !is_ignored) {
    lock();
    record('E', file, number, NULL, 0);
    unlock();
  }
  if (role == LOG) {
    atomic_fetch_add(&state->log_syncs, 1);
    reached(AFTER_LOG_SYNC);
    atomic_store(&state->phase, IDLE);
  } else if (role == DATA) {
    atomic_fetch_add(&state->data_syncs, 1);
    atomic_store(&state->phase, IDLE);
  }
  errno = error;
  return result;
}

int fsync(int fd) {
  ready();
  return sync_file(fd, real_fsync);
}

int fdatasync(int fd) {
  ready();
  return sync_file(fd, real_fdatasync);
}

int unlink(const char *path) {
  ready();
  const char *own = name_in_folder(path);
  if (own != NULL && is_shared(own) && counts_shared && fails(REMOVE)) return -1;
  const char *name = name_of(path);
  if (name == NULL) return real_unlink(path);
  if (fails(REMOVE)) return -1;
  lock();
  int result = real_unlink(path);
  int error = errno;
  if (result == 0) {
    for (uint32_t number = 1; number < state->file_count; number++) {
      if (state->files[number].live && strcmp(state->files[number].name, name) == 0) {
        state->files[number].live = 0;
      }
    }
    record('U', 0, 0, name, strlen(name));
  }
  unlock();
  errno = error;
  return result;
}

/* A file that gets a name has another one until the old one is removed, as in a journal without transactions. */
int rename(const char *from, const char *to) {
  ready();
  const char *old_name = name_of(from), *new_name = name_of(to);
  if (old_name == NULL && new_name == NULL) return real_rename(from, to);
  /* The journal does not know the contents of a file that comes from elsewhere. */
  if (old_name == NULL || new_name == NULL) abort();
  lock();
  int fd = real_open(from, O_RDONLY | O_CLOEXEC);
  int result = fd < 0 ? -1 : real_rename(from, to);
  int error = errno;
  if (result == 0) {
    uint32_t place = watch(fd, old_name, 1);
    for (uint32_t other = 1; other < state->file_count; other++) {
      if (other != place && state->files[other].live && strcmp(state->files[other].name, new_name) == 0) {
        state->files[other].live = 0;
      }
    }
    record('L', place, 0, new_name, strlen(new_name));
    record('U', 0, 0, old_name, strlen(old_name));
    strcpy(state->files[place].name, new_name);
    atomic_store(&watched[fd], 0);
  }
  if (fd >= 0) real_close(fd);
  unlock();
  errno = error;
  return result;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  ready();
  int result = real_clock_gettime(clock, time);
  int64_t shift = atomic_load(&state->clock_shift_ms);
  if (result != 0 || clock != CLOCK_REALTIME || shift == 0) return result;
  int64_t nanoseconds = time->tv_nsec + shift % 1000 * 1000000;
  time->tv_sec += shift / 1000;
  if (nanoseconds < 0) time->tv_sec -= 1;
  if (nanoseconds >= 1000000000) time->tv_sec += 1;
  time->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}
