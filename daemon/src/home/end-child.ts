import { flushCompileCache } from 'node:module'

/**
 * Ends a child process of the daemon from which nobody needs anything any more. `process.exit` is not used: it waits for V8's
 * background threads without stopping them, and a thread that compiles may wait for a garbage collection of the main thread,
 * which then never comes (nodejs/node#54918). Such a process stays for ever, with its memory.
 */
export function endChild(): void {
  // What V8 has compiled is kept for the next child, as at any other end.
  flushCompileCache()
  process.kill(process.pid, 'SIGKILL')
}
