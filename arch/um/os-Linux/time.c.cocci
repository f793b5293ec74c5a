// SPDX-License-Identifier: GPL-2.0
// IPIs are blocked as they come (arch/um/os-Linux/smp.c.cocci), but for a CPU that goes to sleep.

// places: 2
@sleep@
// comment: 	 * Block SIGALRM while performing the need_resched check. => 	 * Block SIGALRM and IPIs while performing the need_resched check:
// comment: 	 * Note that, because IRQs are disabled, the IPI signal is => 	 * that IRQs are disabled keeps them from being handled, but
// comment: 	 * already blocked. => 	 * not from coming, and what comes now has to wake the poll.
identifier set;
@@
 os_idle_sleep(void)
 {
 	...
 	sigaddset(&set, SIGALRM);
+	sigaddset(&set, IPI_SIGNAL);
 	...
 }
