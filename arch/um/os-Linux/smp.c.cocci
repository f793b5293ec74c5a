// SPDX-License-Identifier: GPL-2.0
// Each local_irq_disable() blocked the signal of IPIs, and each local_irq_enable() unblocked it: two
// system calls of the host. It is blocked only if an IPI comes meanwhile: the handler does so, and
// sends it again.

// places: 2
@started@
identifier data;
@@
+/* Whether IPI_SIGNAL is blocked on a CPU's thread */
+static int ipi_blocked[CONFIG_NR_CPUS];
+
 void os_start_secondary(void *arg, jmp_buf *switch_buf)
 {
 	...
 	sigaddset(&data->sigset, IPI_SIGNAL);
+	ipi_blocked[__curr_cpu] = 1;
 	...
 }

@once@
@@
-__local_ipi_set(int enable)
+local_ipi_unblock(void)
 {
 	...
 }

@unblock depends on once@
@@
-enable ? SIG_UNBLOCK : SIG_BLOCK
+SIG_UNBLOCK

@gone@
@@
-void os_local_ipi_disable(void)
-{
-	__local_ipi_set(0);
-}

@blocked@
@@
 os_local_ipi_enable(void)
 {
+	if (!ipi_blocked[__curr_cpu])
+		return;
-	__local_ipi_set(1);
+	local_ipi_unblock();
+	ipi_blocked[__curr_cpu] = 0;
 }

// While it runs the signal is blocked, until what the IPI does enables interrupts.
// places: 3
@later@
typedef ucontext_t;
identifier sig, si, uc, save_errno;
@@
 ipi_sig_handler(int sig, siginfo_t *si, void *uc)
 {
+	ucontext_t *context = uc;
 	int save_errno = errno;
+
+	ipi_blocked[__curr_cpu] = 1;
+	if (!signals_enabled) {
+		sigaddset(&context->uc_sigmask, IPI_SIGNAL);
+		if (os_send_ipi(__curr_cpu, si->si_value.sival_int))
+			panic("%s: an IPI is lost", __func__);
+		errno = save_errno;
+		return;
+	}
 	signals_enabled = 0;
 	...
+	ipi_blocked[__curr_cpu] = 0;
 	signals_enabled = 1;
 	errno = save_errno;
 }

// As whoever started this process left it
@first@
@@
 os_init_smp(void)
 {
 	...
 	cpu_threads[0] = pthread_self();
+	ipi_blocked[0] = 1;
 }
