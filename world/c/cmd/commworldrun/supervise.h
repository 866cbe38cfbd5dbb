#ifndef COMMWORLD_SUPERVISE_H
#define COMMWORLD_SUPERVISE_H

enum { SUPERVISE_BYTES = 4 << 20 };

/* Memory that a process and the child that runs its ranks share, NULL without a child. */
extern void *supervise_memory;

/* The signal that ended the child; 0 in the child. */
extern int supervise_died;

#endif
