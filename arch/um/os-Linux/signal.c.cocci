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

// Other signals come while that of IPIs is blocked. Their handlers may enable interrupts, which
// unblocks it; to return must not block it again.
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
