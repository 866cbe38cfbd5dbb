#ifndef COMMWORLD_SUPERVISE_H
#define COMMWORLD_SUPERVISE_H

enum { SUPERVISE_BYTES = 4 << 20 };

/* Memory that a process and the child that runs its ranks share, NULL without a child. */
extern void *supervise_memory;

/* The signal that ended the child, SUPERVISE_LEFT if it ended itself without a report; 0 in the child. */
extern int supervise_died;
enum { SUPERVISE_LEFT = -1 };

/* The exit status of a child that ended itself. */
extern int supervise_status;

/* Records that this process is about to end with its report. */
void supervise_end(void);

#endif
