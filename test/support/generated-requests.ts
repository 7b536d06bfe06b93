import fc from 'fast-check'
import { expect } from 'vitest'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { requestsOf, type GeneratedRequest } from './arbitrary-requests.ts'
import { makeWorld, restore, TOKEN, type World } from './generated-requests-world.ts'
import type { Answer } from './person.ts'

const AT_ONCE = 8
/**
 * How often a slow request is repeated before it counts as a finding. A request that is slow by itself is slow each
 * time.
 */
const REPEATS_OF_SLOW = 3
const RESTORE_EVERY = 200

type Finding = { what: string; route: string; request: GeneratedRequest; caller: string; answer: string }
/** The result of a run. Findings are bugs; none are expected. */
export type GeneratedRun = {
  sent: number
  statuses: Record<string, number>
  findings: Finding[]
  succeeded: string[]
  /** The duration of each request, measured while other requests ran. */
  times: number[]
}

type Plan = { requests: number; seed: number; slowestMs: number }

/** Sends requests generated from the OpenAPI document, by callers of every role, and checks every response. */
export async function sendGeneratedRequests({ requests, seed, slowestMs }: Plan): Promise<GeneratedRun> {
  const world = await makeWorld()
  const run: GeneratedRun = { sent: 0, statuses: {}, findings: [], succeeded: [], times: [] }
  const succeeded = new Set<string>()
  try {
    const each = Math.ceil(requests / world.operations.length)
    const plan = world.operations
      .flatMap((operation, index) =>
        fc
          .sample(
            fc.tuple(fc.constantFrom(...Object.keys(world.callers), 'bearer'), requestsOf(operation, world.words)),
            {
              numRuns: each,
              seed: seed + index,
            },
          )
          .map(([caller, request], turn) => ({ caller, request, operation, turn })),
      )
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, requests)
    for (let from = 0; from < plan.length; from += AT_ONCE) {
      if (from % RESTORE_EVERY < AT_ONCE) await restore(world)
      const slow: Sent[] = []
      await Promise.all(
        plan.slice(from, from + AT_ONCE).map(async ({ caller, request, operation }) => {
          const route = `${operation.method} ${operation.path}`
          const { answer, tookMs } = await judge(world, { caller, request, route, findings: run.findings })
          run.sent += 1
          run.times.push(tookMs)
          run.statuses[answer.status] = (run.statuses[answer.status] ?? 0) + 1
          if (answer.status < 300) succeeded.add(route)
          if (tookMs > slowestMs) slow.push({ caller, request, route })
        }),
      )
      // Requests run concurrently and the machine may be busy, so repeat slow requests alone.
      for (const sent of slow) await repeatSlow(world, { ...sent, findings: run.findings, slowestMs })
    }
    return { ...run, succeeded: [...succeeded].toSorted() }
  } finally {
    await world.cp.stop()
  }
}

const failed = ({ message }: Error): Answer => ({ status: 0, headers: {}, body: undefined, text: message })

type Sent = { caller: string; request: GeneratedRequest; route: string }
type Judged = Sent & { findings: Finding[] }

async function timed(
  world: World,
  { caller, request }: Pick<Sent, 'caller' | 'request'>,
): Promise<{ answer: Answer; tookMs: number }> {
  const began = performance.now()
  const answer = await send(world, caller, request).catch((error: Error) => failed(error))
  return { answer, tookMs: performance.now() - began }
}

async function repeatSlow(world: World, { slowestMs, findings, ...sent }: Judged & { slowestMs: number }) {
  const times: number[] = []
  while (times.length < REPEATS_OF_SLOW) times.push((await timed(world, sent)).tookMs)
  if (Math.min(...times) > slowestMs)
    findings.push({ ...sent, what: 'slow each time', answer: times.map((ms) => `${ms.toFixed(0)} ms`).join(', ') })
}

async function judge(world: World, { caller, request, route, findings }: Judged) {
  const { answer, tookMs } = await timed(world, { caller, request })
  const find = (what: string) => findings.push({ what, route, request, caller, answer: answer.text.slice(0, 500) })
  if (answer.status === 0) find('no answer')
  if (answer.status >= 500 && !ErrorBody.safeParse(answer.body).success)
    find(`status ${answer.status} without our failure`)
  if (answer.status === 500 || answer.body?.error?.code === 'internal') find('an unexpected failure')
  const sent = `${decodeURIComponent(request.path)} ${request.body ?? ''}`
  const leaked =
    caller === 'systemAdmin'
      ? []
      : world.secrets.filter((secret) => answer.text.includes(secret) && !sent.includes(secret))
  if (leaked.length > 0) find(`leaks ${leaked.join(', ')}`)
  return { answer, tookMs }
}

function send(
  { cp, callers }: World,
  caller: string,
  { method, path, contentType, body }: GeneratedRequest,
): Promise<Answer> {
  const type: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType }
  if (caller === 'bearer') return cp.raw(method, path, { headers: { ...type, authorization: `Bearer ${TOKEN}` }, body })
  const cookie = [...(callers[caller]?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  return cp.raw(method, path, { headers: { ...type, origin: cp.origin, ...(cookie === '' ? {} : { cookie }) }, body })
}

/** Fails if the run has findings. Lists them by route and kind, with one example request each. */
export function expectNoFindings({ findings }: GeneratedRun): void {
  const groups = Map.groupBy(findings, ({ route, what }) => `${route}: ${what}`)
  const report = [...groups].map(([group, of]) => {
    const { caller, request, answer } = of[0]!
    return {
      finding: `${of.length} × ${group}`,
      callers: [...new Set(of.map((one) => one.caller))],
      request,
      answer,
      caller,
    }
  })
  expect(report).toEqual([])
}
