import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'

type Question = { id: number; name: string; argument: unknown }
type Answer = { id: number; value?: unknown; error?: string }
type Answers = Record<string, (argument: never) => unknown>

/** A process of the bench that responds to calls. */
export type Part<A extends Answers> = {
  pid: number
  ask<Name extends keyof A & string>(
    name: Name,
    ...argument: Parameters<A[Name]>
  ): Promise<Awaited<ReturnType<A[Name]>>>
  /** Asks it to end and waits. */
  stop(): Promise<void>
}

type Start = {
  program: URL
  options: unknown
  flags?: string[]
  /** True for a process that stands for other machines. It only gets CPU time that the others do not need. */
  isElsewhere?: boolean
}

/**
 * Gives a process, with all of its threads, only the CPU time that no other process wants. With a low priority alone it
 * would still keep a core for some milliseconds while a process of this machine waits.
 */
export function giveWay(pid: number): void {
  execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
}

/** Starts a program in a process of its own, with flags for Node; its options are one argument, in JSON. */
export async function startPart<A extends Answers>(start: Start): Promise<Part<A>> {
  const { program, options, flags = [], isElsewhere = false } = start
  const execArgv = ['--expose-gc', ...flags]
  const child = fork(program, [JSON.stringify(options)], { execArgv })
  if (isElsewhere) giveWay(child.pid!) // threads that it starts later inherit the policy
  const exited = once(child, 'exit')
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let last = 0

  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value as never)
    else waiting.get(id)?.reject(new Error(`${program.pathname}: ${error}`))
    waiting.delete(id)
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program.pathname} ended with ${code}`))
  })
  const ask: Part<A>['ask'] = (name, ...[argument]) => {
    const id = ++last
    child.send({ id, name, argument } satisfies Question)
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
  return {
    pid: child.pid ?? 0,
    ask,
    async stop() {
      child.disconnect()
      await exited
      process.off('exit', kill)
    },
  }
}

/** The other end: responds to calls of the process that started this one, and ends with it. */
export function answerParent(answers: Answers, end: () => Promise<void>): void {
  process.on('message', async ({ id, name, argument }: Question) => {
    const reply = (answer: Omit<Answer, 'id'>) => process.send?.({ id, ...answer } satisfies Answer)
    try {
      const answer = answers[name]
      if (answer === undefined) throw new Error(`there is no answer to ${name}`)
      reply({ value: await answer(argument as never) })
    } catch (error) {
      reply({ error: error instanceof Error ? error.message : String(error) })
    }
  })
  process.once('disconnect', () => void end().finally(() => process.exit(0)))
}

/** The options from the parent. */
export const partOptions = <T>(): T => JSON.parse(process.argv[2] ?? '{}') as T
