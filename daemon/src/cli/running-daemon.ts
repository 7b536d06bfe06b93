import { z } from 'zod'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { readOwnFile } from '../files/regular-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { homeHolder } from '../home/lock-home.ts'
import { realHome } from '../home/real-home.ts'
import { localAddress } from './local-address.ts'
import { patientRequest, type CommandRequest } from './patient-request.ts'

/** The daemon of a home, reached over its local port. */
export type RunningDaemon = {
  address: string
  pid: number
  version: string
  /** Sends a request to the API; throws the failure that the daemon reports. */
  send(path: string, request?: CommandRequest): Promise<Response>
  read<Schema extends z.ZodType>(schema: Schema, path: string, request?: CommandRequest): Promise<z.infer<Schema>>
}

const Status = z.object({ version: z.string(), pid: z.number(), address: z.string().nullable() })
const HEALTH_MS = 5000
// On a busy machine, a daemon may stand still for many seconds.
const TRIES = 6

/**
 * Finds the running daemon of a home by its status file; undefined when it does not respond. It is asked several times
 * while its process lives.
 */
export async function findDaemon(layout: HomeLayout, { tries = TRIES } = {}): Promise<RunningDaemon | undefined> {
  const text = await readOwnFile(layout.statusFile).catch(() => undefined)
  const status = text === undefined ? undefined : Status.safeParse(parsed(text)).data
  if (!status?.address) return undefined
  const { pid, version } = status
  const address = localAddress(status.address)

  // The file survives a killed daemon, and another program may use its port now.
  let health = await healthAt(address)
  for (let tried = 1; health === 'late' && tried < tries && homeHolder(layout) !== undefined; tried++)
    health = await healthAt(address)
  if (health === 'late' || health?.service !== 'svcd') return undefined
  if (health.status?.svcHome !== (await realHome(layout.home))) return undefined

  const send = async (path: string, request?: CommandRequest): Promise<Response> => {
    const answer = await patientRequest(`${address}/api${path}`, request)
    if (answer.ok) return answer
    throw readErrorBody(parsed(await answer.text())) ?? fail('internal', { status: answer.status })
  }
  return {
    address,
    pid,
    version,
    send,
    read: async (schema, path, request) => schema.parse(await (await send(path, request)).json()),
  }
}

type Health = { service?: string; status?: { svcHome?: string } }

/** Undefined when nothing listens there, or when something else than a daemon answers. */
async function healthAt(address: string): Promise<Health | undefined | 'late'> {
  const signal = AbortSignal.timeout(HEALTH_MS)
  try {
    return (await (await patientRequest(`${address}/api/health`, { signal })).json()) as Health
  } catch {
    return signal.aborted ? 'late' : undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A request with a JSON body. */
export const jsonRequest = (body: unknown): CommandRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
