import { endsWithin } from '@svc/shared/kit/within.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { fullJitter } from '@svc/shared/kit/backoff.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { MachineProblem } from '../../managed-daemon/observed.ts'
import { logLines } from './child-log.ts'
import { createChildQuestions, type ChildQuestions } from './child-questions.ts'

/** How a child is started. This is its whole environment; it inherits nothing of ours. */
export type DaemonProcessSpec = { image: string; main: string; cwd: string; env: Record<string, string> }

export type ProcessLimits = {
  /** Timeout of a child's response to a status query. */
  answerMs: number
  /** Time to make everything durable before a child is killed. */
  flushMs: number
  restart: { baseMs: number; capMs: number }
  /** A daemon that is ready for this long has recovered from its last end. */
  steadyMs: number
  /** Consecutive ends after which an image counts as broken. */
  fatalEnds: number
}

type Deps = { clock: Clock; log: Log; random: () => number; limits: ProcessLimits; changed: () => void }

/** `silences` counts the queries without an answer since the last one that was answered. */
type Readiness = { since: Date | undefined; silences: number }

type State =
  | { state: 'running'; child: ChildProcess; questions: ChildQuestions; since: number; ready: Readiness }
  | { state: 'waiting'; timer: AbortController }
  | { state: 'stopping' }
  | { state: 'stopped' }

const TEMPORARY = 75 // the home is still locked by a predecessor that is ending
const TEMPORARY_RETRY_MS = 1_000
const STABLE_MS = 60_000
// As many as a kubelet's probes by default: one lost answer is no news.
const SILENT_ANSWERS = 3
/** Time to end after SIGTERM. */
export const KILL_AFTER_MS = 2_000

/**
 * One managed daemon as a child process: restarted with backoff after an unrequested end, stopped gracefully on
 * request.
 */
export class DaemonProcess {
  readonly spec: DaemonProcessSpec
  readonly startedAt: Date
  readonly #deps: Deps
  #state: State = { state: 'stopped' }
  #ends = 0
  #problem: MachineProblem | undefined
  #exited: Promise<void> = Promise.resolve()

  constructor(spec: DaemonProcessSpec, deps: Deps) {
    this.spec = spec
    this.#deps = deps
    this.startedAt = deps.clock.now()
    this.#launch()
  }

  get isStopping(): boolean {
    return this.#state.state === 'stopping'
  }

  /**
   * When the child reported that it is ready; undefined after several queries without an answer. The duration of its start
   * says nothing about how well it runs.
   */
  get readySince(): Date | undefined {
    return this.#state.state === 'running' ? this.#state.ready.since : undefined
  }

  /** Why the child is not running, or why it ended lately. */
  get problem(): MachineProblem | undefined {
    return this.#problem
  }

  async status(): Promise<DaemonStatus | undefined> {
    const asked = this.#state
    if (asked.state !== 'running') return undefined
    const status = await asked.questions.status(this.#deps.limits.answerMs)
    const { clock, limits } = this.#deps
    asked.ready = nextReadiness(asked.ready, status, clock.now())
    const since = this.readySince
    if (since && clock.now().getTime() - since.getTime() >= limits.steadyMs) this.#problem = undefined
    return status
  }

  async flush(): Promise<void> {
    if (this.#state.state !== 'running') throw new Error('the daemon does not run')
    await this.#state.questions.flush(this.#deps.limits.flushMs)
  }

  /** Asks the child to flush and end, and kills it if it does not. Resolves when it has ended. */
  async stop(): Promise<void> {
    const before = this.#state
    this.#state = { state: 'stopping' }
    if (before.state === 'waiting') before.timer.abort()
    if (before.state === 'running') {
      const { limits } = this.#deps
      before.questions.stop()
      if (!(await this.#endsWithin(limits.flushMs))) before.child.kill('SIGTERM')
      if (!(await this.#endsWithin(KILL_AFTER_MS))) before.child.kill('SIGKILL')
    }
    await this.#exited
    this.#state = { state: 'stopped' }
  }

  #endsWithin(ms: number): Promise<boolean> {
    return endsWithin(this.#exited, { ms, clock: this.#deps.clock })
  }

  #launch(): void {
    const { clock, log } = this.#deps
    const { main, cwd, env } = this.spec
    // In a process group of its own: Ctrl-C only reaches this process, which stops the children in order.
    const child = spawn(process.execPath, [main], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    })
    // Where file descriptors have run out, the child does not start and has no streams; `error` reports it.
    for (const stream of [child.stdout, child.stderr]) if (stream) logLines(stream, log)
    this.#state = {
      state: 'running',
      child,
      questions: createChildQuestions(child),
      since: clock.monotonic(),
      ready: { since: undefined, silences: 0 },
    }
    this.#exited = new Promise((resolve) => {
      const end = (cause: string, code: number | null) => {
        this.#ended(cause, code)
        resolve()
      }
      child.once('error', (error) => end(error.message, null))
      child.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `exit code ${code}`, code))
    })
    this.#deps.changed()
  }

  #ended(cause: string, code: number | null): void {
    if (this.#state.state !== 'running') return
    const { clock, log, random, limits } = this.#deps
    if (clock.monotonic() - this.#state.since > STABLE_MS) this.#ends = 0

    let delay = TEMPORARY_RETRY_MS
    if (code === TEMPORARY) {
      this.#problem = { reason: 'HomeBusy', message: 'The home is in use by a daemon that is ending.', fatal: false }
    } else {
      this.#ends += 1
      delay = limits.restart.baseMs + fullJitter(this.#ends, limits.restart, random)
      const message = `The daemon ended with ${cause}, ${this.#ends} times in a row.`
      const reason = code === 0 ? 'EndedByItself' : 'Crashed'
      this.#problem = { reason, message, fatal: this.#ends >= limits.fatalEnds }
    }
    log.warn({ cause, ends: this.#ends, delay }, 'a managed daemon ended by itself')

    const timer = new AbortController()
    this.#state = { state: 'waiting', timer }
    clock.sleep(delay, timer.signal).then(
      () => this.#launch(),
      () => {}, // stopped meanwhile
    )
    this.#deps.changed()
  }
}

function nextReadiness({ since, silences }: Readiness, status: DaemonStatus | undefined, now: Date): Readiness {
  if (status !== undefined) return { since: status.ready ? (since ?? now) : undefined, silences: 0 }
  const counted = silences + 1
  return { since: counted < SILENT_ANSWERS ? since : undefined, silences: counted }
}
