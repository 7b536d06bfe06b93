const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls `stop` at the first signal that asks this process to end: Ctrl-C, a service manager, a closed terminal. The
 * same signal a second time exits at once; two different ones do not, because a closing terminal and a service manager
 * may both send one.
 */
export function onEndSignals(stop: (signal: NodeJS.Signals) => void): void {
  const received = new Set<NodeJS.Signals>()
  const receive = (signal: NodeJS.Signals) => {
    if (received.has(signal)) process.exit(1)
    received.add(signal)
    if (received.size === 1) stop(signal)
  }
  for (const signal of SIGNALS) process.on(signal, receive)
  // The closed terminal accepts no more output.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
