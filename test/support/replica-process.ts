import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { checkLog } from './check-log.ts'
import { endProcess } from './end-process.ts'
import { freePort } from './free-port.ts'
import { programEnvironment } from './program-environment.ts'

const main = fileURLToPath(new URL('../../control-plane/src/main.ts', import.meta.url))

const REPLICA_SECRET = 'a secret of at least thirty-two characters'

/** A control-plane replica as a process of its own. It keeps its ports over restarts. */
export type ReplicaProcess = {
  name: string
  ports: { api: number; gateway: number; dialIn: number; internal: number }
  pid(): number
  output(): string
  /** Starts the replica with the given environment; resolves when its listeners are open. */
  start(environment: Record<string, string>): Promise<void>
  /** Sends SIGTERM, as a rollout does; returns its exit code. */
  stop(): Promise<number | null>
  /** SIGKILL. */
  kill(): Promise<void>
}

/** Prepares a replica without starting it. */
export async function prepareReplica(name: string): Promise<ReplicaProcess> {
  const ports = {
    api: await freePort(),
    gateway: await freePort(),
    dialIn: await freePort(),
    internal: await freePort(),
  }
  let child: ChildProcess | undefined
  let output = ''
  const end = async (signal: NodeJS.Signals) => {
    const code = child === undefined ? null : await endProcess(child, signal)
    checkLog(`the log of replica ${name}`, output)
    return code
  }

  return {
    name,
    ports,
    pid: () => child?.pid ?? 0,
    output: () => output,
    start: async (environment) => {
      output = ''
      const started = spawn(process.execPath, [main], {
        env: programEnvironment({
          ENVIRONMENT: 'test',
          SVC_ROLE: 'web',
          LOG_LEVEL: 'info',
          AUTH_SECRET: REPLICA_SECRET,
          MANAGED_DAEMON_STORE: 'none',
          PORT: String(ports.api),
          GATEWAY_PORT: String(ports.gateway),
          DIAL_IN_PORT: String(ports.dialIn),
          INTERNAL_PORT: String(ports.internal),
          ...environment,
        }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text))
      const exited = once(started, 'exit')
      while (!/"listener":"dial-in"/.test(output)) {
        const over = await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50))])
        if (over) throw new Error(`replica ${name} did not start:\n${output}`)
      }
    },
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  }
}
