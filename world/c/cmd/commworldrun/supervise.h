#ifndef COMMWORLD_SUPERVISE_H
#define COMMWORLD_SUPERVISE_H

enum { SUPERVISE_BYTES = 4 << 20 };

/* Memory that a process and the child that runs its ranks share, NULL without a child. */
extern void *supervise_memory;

/*
 * The signal that ended the child, SUPERVISE_LEFT if it ended itself without a report,
 * SUPERVISE_STUCK if it stood still after a crash and this process ended it; 0 in the child.
 */
extern int supervise_died;
enum { SUPERVISE_LEFT = -1, SUPERVISE_STUCK = -2 };

/* Seconds that the child may take to report after one of its ranks has crashed, or does not stop. */
enum { SUPERVISE_PATIENCE = 5 };

/* The exit status of a child that ended itself, and its number. */
extern int supervise_status, supervise_child;

/* Records that a run has ended in spite of the crashes in it, and that this process goes on. */
void supervise_survived(void);

/* Records that this process is about to end with its report. */
void supervise_end(void);

#endif
