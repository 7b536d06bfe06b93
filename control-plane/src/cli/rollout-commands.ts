import { addressOf, type AnswerOf } from '@svc/shared/client/route-call.ts'
import {
  CreateRolloutRequest,
  PlanRolloutRequest,
  RolloutChangeRequest,
  RolloutParams,
} from '@svc/shared/wire/admin/rollouts.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import {
  maybe,
  numberOf,
  pageOf,
  pageOptions,
  textOf,
  UsageError,
  type Command,
  type CommandContext,
  type Option,
} from './command.ts'

const settingOptions: Record<string, Option> = {
  image: { type: 'string', required: true, describe: 'Image reference for the whole fleet.' },
  canary: { type: 'string', describe: 'How many daemons go first; default 1.' },
  'canary-orgs': { type: 'string', describe: 'Organizations that go first, ids by comma.' },
  shares: { type: 'string', describe: 'Cumulative percentages of the waves after it; default 5,25,100.' },
  soak: { type: 'string', describe: 'Seconds of quiet after a wave; default 300.' },
  concurrency: { type: 'string', describe: 'Rolls at a time; default 5.' },
  'failure-budget': { type: 'string', describe: 'Failures that are borne; one more stops it. Default 1.' },
  'quiet-hours': { type: 'string', describe: 'HH:MM-HH:MM in which daemons are rolled and sleeping ones woken.' },
  'time-zone': { type: 'string', describe: 'Time zone of the quiet hours; default UTC.' },
}
const id: Option = { type: 'string', required: true, describe: 'Id of the rollout (rol_…).' }
const reason: Option = { type: 'string', required: true, describe: 'Why; kept in the audit.' }

type Found = AnswerOf<'GET /api/admin/rollouts/{rolloutId}'>
type Rollout = Found['rollout']

const LOOK_AGAIN_MS = 2_000

function settingsOf(context: CommandContext) {
  const [from, to, ...more] = maybe(context, 'quiet-hours')?.split('-') ?? []
  if (from !== undefined && (to === undefined || more.length > 0))
    throw new UsageError('--quiet-hours takes HH:MM-HH:MM')
  const orgIds = maybe(context, 'canary-orgs')?.split(',')
  const count = numberOf(context, 'canary')
  return {
    ...(orgIds || count ? { canary: { count: count ?? 1, orgIds: orgIds ?? [] } } : {}),
    shares: maybe(context, 'shares')?.split(',').map(Number),
    soakSeconds: numberOf(context, 'soak'),
    concurrency: numberOf(context, 'concurrency'),
    failureBudget: numberOf(context, 'failure-budget'),
    quietHours: from === undefined ? undefined : { from, to, timeZone: maybe(context, 'time-zone') },
  }
}

const paramsOf = (context: CommandContext) => parseOrFail(RolloutParams, { rolloutId: textOf(context, 'id') })

/** Follows a rollout until no roll is in progress, and prints each change. */
async function follow(context: CommandContext, params: { rolloutId: string }): Promise<Found> {
  const client = await context.withSession()
  let told = ''
  for (;;) {
    const found = await client.call('GET /api/admin/rollouts/{rolloutId}', { params })
    const line = progressOf(found.rollout)
    if (line !== told) context.say(line)
    told = line
    const { state, counts } = found.rollout
    if (state !== 'running' && counts.rolling === 0) return found
    await context.clock.sleep(LOOK_AGAIN_MS)
  }
}

function progressOf({ state, stateReason, currentWave, waves, counts }: Rollout): string {
  const { total, succeeded, failed, stalled, deferred, rolling } = counts
  const done = `${succeeded}/${total} done, ${rolling} rolling, ${failed + stalled} failed, ${deferred} asleep`
  const why = stateReason === undefined ? '' : ` (${stateReason})`
  return `${state}${why}: wave ${currentWave + 1} of ${waves.length}, ${done}`
}

const change = (verb: 'pause' | 'resume' | 'abort', summary: string): Command => ({
  words: `rollout ${verb}`,
  summary,
  options: {
    id,
    reason,
    ...(verb === 'resume' ? { 'failure-budget': { type: 'string', describe: 'A new budget, counted from now.' } } : {}),
  },
  run: async (context) => {
    const asked = { reason: textOf(context, 'reason'), failureBudget: numberOf(context, 'failure-budget') }
    const body = parseOrFail(RolloutChangeRequest, asked)
    return (await context.withSession()).call(`POST /api/admin/rollouts/{rolloutId}/${verb}`, {
      params: paramsOf(context),
      body,
    })
  },
})

/** Fleet rollouts. */
export const rolloutCommands: Command[] = [
  {
    words: 'rollout plan',
    summary: 'Shows the waves of a rollout; records nothing.',
    options: settingOptions,
    run: async (context) => {
      const body = parseOrFail(PlanRolloutRequest, { image: textOf(context, 'image'), settings: settingsOf(context) })
      return (await context.withSession()).call('POST /api/admin/rollouts/plan', { body })
    },
  },
  {
    words: 'rollout start',
    summary: 'Begins a rollout of the fleet to an image.',
    options: {
      ...settingOptions,
      reason,
      confirm: { type: 'string', required: true, describe: 'The image reference once more.' },
      'operation-id': { type: 'string', describe: 'Names the rollout; the same id begins nothing twice.' },
      'dry-run': { type: 'boolean', describe: 'Checks everything that can be checked here and sends nothing.' },
      watch: { type: 'boolean', describe: 'Stays and tells the progress.' },
    },
    run: async (context) => {
      const body = parseOrFail(CreateRolloutRequest, {
        operationId: maybe(context, 'operation-id') ?? `cli-${randomBase32(20)}`,
        reason: textOf(context, 'reason'),
        image: textOf(context, 'image'),
        confirmation: textOf(context, 'confirm'),
        settings: settingsOf(context),
      })
      const route = 'POST /api/admin/rollouts'
      if (context.values['dry-run'] === true) return { ok: true, dryRun: true, request: { ...addressOf(route), body } }

      context.say(`operationId ${body.operationId}`)
      const begun = await (await context.withSession()).call(route, { body })
      if (context.values.watch !== true) return begun
      context.say(progressOf(begun.rollout))
      return follow(context, { rolloutId: begun.rollout.id })
    },
  },
  {
    words: 'rollout show',
    summary: 'Shows one rollout.',
    options: { id },
    run: async (context) =>
      (await context.withSession()).call('GET /api/admin/rollouts/{rolloutId}', { params: paramsOf(context) }),
  },
  {
    words: 'rollout watch',
    summary: 'Tells the progress of a rollout until nothing rolls any more.',
    options: { id },
    run: async (context) => follow(context, paramsOf(context)),
  },
  {
    words: 'rollout list',
    summary: 'Lists rollouts, newest first.',
    options: pageOptions,
    run: async (context) => (await context.withSession()).call('GET /api/admin/rollouts', { query: pageOf(context) }),
  },
  change('pause', 'Begins nobody else; rolls under way go on.'),
  change('resume', 'Goes on after a pause or a stop; failures so far are accepted.'),
  change('abort', 'Ends a rollout; whoever was not begun is left alone.'),
]
