import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkLog } from './check-log.ts'
import { endProcess } from './end-process.ts'
import { freePort } from './free-port.ts'
import { untilMailed, type Mailbox } from './mailbox.ts'
import { programEnvironment } from './program-environment.ts'
import { removeFolder } from './remove-folder.ts'

/** The parts start one after the other, which takes minutes on an overloaded machine. */
export const START_MS = 240_000

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** The whole embedded platform as a process of its own, as `npm start` runs it. */
export type Platform = {
  origin: string
  port: number
  /** One-time links that it printed. */
  setupLink: string | undefined
  outboxLink: string | undefined
  dataDir: string
  /** Reads the outbox. The first call opens it with its link. */
  mailbox: Mailbox
  output(): string
  /** Ends it as a power cut does (SIGKILL). */
  kill(): Promise<void>
  /** Ends it as Ctrl-C does; returns its exit code. */
  stop(): Promise<number | null>
  /** Starts it again on the same port and data, with its environment or another. */
  start(environment?: Record<string, string>): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/** Where and as whom a platform runs: its data folder, another clone, another user. */
type Place = { dataDir?: string; clone?: string; uid?: number; gid?: number }

/** Starts the embedded platform on a free port, with a data folder of its own unless one is given. */
export async function startPlatform(environment: Record<string, string> = {}, place: Place = {}): Promise<Platform> {
  const { clone = repository, dataDir = await newDataFolder(), uid, gid } = place
  const user = uid === undefined ? {} : { uid, gid }
  // Another user cannot write into the compile cache of this one.
  const inherited = uid === undefined ? programEnvironment({}) : { PATH: process.env.PATH }
  const port = await freePort()
  let child: ChildProcess
  let output = ''

  const start = async (variables = environment) => {
    output = ''
    child = spawn(process.execPath, [join(clone, 'embedded/main.ts'), '--port', String(port), '--data', dataDir], {
      ...user,
      env: { ...inherited, HOME: dataDir, ...variables },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // it ends with this process, even if this process is killed
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text))

    const exited = once(child, 'exit')
    const deadline = AbortSignal.timeout(START_MS)
    while (!/Open\s+http/.test(output)) {
      const over = await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50))])
      if (over || deadline.aborted) throw new Error(`The platform did not start (exit ${child.exitCode}):\n${output}`)
    }
  }
  const end = (signal: NodeJS.Signals) => endProcess(child, signal)
  await start()

  const origin = `http://localhost:${port}`
  const outbox = `http://127.0.0.1:${port}`
  let cookie: string | undefined
  const openOutbox = async () => {
    const link = new URL(/(http:\S+\/outbox\S*)/.exec(output)?.[1] ?? '')
    const opened = await fetch(outbox + link.pathname + link.search, { redirect: 'manual' })
    return opened.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const findMail = async (address: string) => {
    cookie ??= await openOutbox()
    const answer = await fetch(`${outbox}/outbox`, { headers: { cookie, accept: 'application/json' } })
    const { mails } = (await answer.json()) as { mails: { to: string; link: string }[] }
    return mails.find(({ to }) => to === address)
  }

  return {
    mailbox: (address) => untilMailed(address, () => findMail(address)),
    origin,
    port,
    dataDir,
    output: () => output,
    get setupLink() {
      return /(http:\S+\/setup#\S+)/.exec(output)?.[1]
    },
    get outboxLink() {
      return /(http:\S+\/outbox\S*)/.exec(output)?.[1]
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGINT'),
    start,
    remove: async () => {
      await end('SIGINT')
      const log = await readFile(join(dataDir, 'platform.log'), 'utf8').catch(() => '')
      await removeFolder(dataDir)
      checkLog('the log of the platform', log + output)
    },
  }
}

async function newDataFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-platform-'))
  await chmod(dataDir, 0o711)
  return dataDir
}
