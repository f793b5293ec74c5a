// SPDX-License-Identifier: GPL-2.0
// IPIs are blocked as they come: arch/um/os-Linux/smp.c.cocci.

@block@
@@
 __block_signals(void)
 {
 	...
-	os_local_ipi_disable();
 	...
 }

// Signals come when an IPI is blocked, too. Their handlers may enable interrupts, after which it may not
// be blocked again when they return.
@back@
typedef ucontext_t;
identifier sig, si, p, uc;
@@
 hard_handler(int sig, siginfo_t *si, void *p)
 {
 	ucontext_t *uc = p;
 	...
 	(*handlers[sig])(...);
+	sigdelset(&uc->uc_sigmask, IPI_SIGNAL);
 	...
 }
