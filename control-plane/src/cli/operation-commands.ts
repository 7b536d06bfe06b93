import type { z } from 'zod'
import { addressOf, type BodyOf, type CallArguments, type Route } from '@svc/shared/client/route-call.ts'
import { ConfirmedRequest, ImageRollRequest, StorageGrowRequest } from '@svc/shared/wire/admin/admin.api.ts'
import { RestoreRequest } from '@svc/shared/wire/admin/admin-backups.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { randomBase32 } from '@svc/shared/wire/new-id.ts'
import { maybe, numberOf, textOf, type Command, type CommandContext, type Option } from './command.ts'
import { retryOperation } from './retry-operation.ts'

const operationOptions: Record<string, Option> = {
  org: { type: 'string', required: true, describe: 'Id of the organization (org_…).' },
  'operation-id': {
    type: 'string',
    describe: 'Names the operation; the same id repeats nothing. Made up when absent.',
  },
  wait: {
    type: 'string',
    describe: 'Seconds to keep asking while the operation is in progress or retryable; default 0.',
  },
  'dry-run': { type: 'boolean', describe: 'Checks everything that can be checked here and sends nothing.' },
}

const newOperationId = () => `cli-${randomBase32(20)}`

/** Routes that make an audited operation on one organization. */
type OperationRoute = Extract<Route, `POST /api/admin/${'managed-daemons' | 'orgs'}/{orgId}/${string}`>
type Planned<R extends OperationRoute> = {
  route: R
  params: { orgId: string }
  body: BodyOf<R> & { operationId?: string | undefined }
}

/** Sends a planned operation and retries while --wait allows; a dry run prints the request instead. */
async function carryOut<R extends OperationRoute>(
  context: CommandContext,
  { route, params, body }: Planned<R>,
  client: 'withImageToken' | 'withSession',
): Promise<object> {
  if (context.values['dry-run'] === true)
    return { ok: true, dryRun: true, request: { ...addressOf(route, { params }), body } }

  context.say(`operationId ${body.operationId}`)
  const admin = await context[client]()
  const waitSeconds = numberOf(context, 'wait') ?? 0
  // TypeScript cannot resolve the arguments of a generic route. `Planned` ensures that they fit.
  const call = [{ params, body }] as unknown as CallArguments<R>
  const look = async () => {
    const { mutations } = await admin.call('GET /api/admin/orgs/{orgId}/mutations', { params })
    return mutations.find(({ operationId }) => operationId === body.operationId)
  }
  return retryOperation(() => admin.call(route, ...call), { waitSeconds, look, ...context })
}

const imageRoll: Command = {
  words: 'image roll',
  summary: 'Rolls one managed daemon to an exact image; done when it runs.',
  options: {
    ...operationOptions,
    image: {
      type: 'string',
      required: true,
      describe: 'Image reference: host/repository with exact tag or @sha256 digest.',
    },
    confirm: { type: 'string', required: true, describe: 'The organization id once more.' },
    reason: { type: 'string', describe: 'Why; kept in the audit.' },
    'token-fd': { type: 'string', describe: 'File descriptor that holds MANAGED_DAEMON_ADMIN_TOKEN.' },
  },
  run: async (context) => {
    const params = parseOrFail(OrgParams, { orgId: textOf(context, 'org') })
    const body = parseOrFail(ImageRollRequest, {
      image: textOf(context, 'image'),
      confirmation: textOf(context, 'confirm'),
      operationId: maybe(context, 'operation-id') ?? newOperationId(),
      reason: maybe(context, 'reason'),
    })
    if (body.confirmation !== params.orgId) throw fail('confirmation_mismatch')
    const route = 'POST /api/admin/managed-daemons/{orgId}/image'
    return carryOut(context, { route, params, body }, 'withImageToken')
  },
}

type Confirmed<R extends OperationRoute> = {
  words: string
  summary: string
  route: R
  /**
   * The fields of the body besides reason and confirmation, as options; `fields` lists those with another name on the
   * wire.
   */
  more?: {
    body: z.ZodType<BodyOf<R> & { operationId: string }>
    options: Record<string, Option>
    fields?: Record<string, string>
  }
}

const confirmed = <R extends OperationRoute>({ words, summary, route, more }: Confirmed<R>): Command => ({
  words,
  summary,
  options: {
    ...operationOptions,
    ...more?.options,
    confirm: { type: 'string', required: true, describe: 'The exact short name (slug) of the organization.' },
    reason: { type: 'string', required: true, describe: 'Why; kept in the audit.' },
  },
  run: async (context) => {
    const params = parseOrFail(OrgParams, { orgId: textOf(context, 'org') })
    const given = Object.keys(more?.options ?? {}).flatMap((name) => {
      const value = maybe(context, name)
      return value === undefined ? [] : [[more?.fields?.[name] ?? name, value]]
    })
    const body = parseOrFail(more?.body ?? ConfirmedRequest, {
      operationId: maybe(context, 'operation-id') ?? newOperationId(),
      reason: textOf(context, 'reason'),
      confirmation: textOf(context, 'confirm'),
      ...Object.fromEntries(given),
    })
    return carryOut(context, { route, params, body: body as Planned<R>['body'] }, 'withSession')
  },
})

const size: Option = { type: 'string', required: true, describe: 'New size of the volume, such as 20Gi.' }

/** The audited operations on one organization. */
export const operationCommands: Command[] = [
  imageRoll,
  confirmed({
    words: 'grant',
    summary: 'Grants initial complimentary hosted access.',
    route: 'POST /api/admin/orgs/{orgId}/managed-daemon/comped',
  }),
  confirmed({
    words: 'storage check',
    summary: 'Asks the daemon through the relay how full it is; may wake it.',
    route: 'POST /api/admin/managed-daemons/{orgId}/storage/check',
  }),
  confirmed({
    words: 'storage grow',
    summary: 'Makes the volume of the daemon larger, without a restart.',
    route: 'POST /api/admin/managed-daemons/{orgId}/storage/grow',
    more: { body: StorageGrowRequest, options: { size } },
  }),
  confirmed({
    words: 'key rotate',
    summary: 'Gives the daemon its next relay key, without a restart.',
    route: 'POST /api/admin/managed-daemons/{orgId}/key/rotate',
  }),
  confirmed({
    words: 'sleep',
    summary: 'Puts the daemon to sleep once all is durable; the next visit wakes it.',
    route: 'POST /api/admin/managed-daemons/{orgId}/sleep',
  }),
  confirmed({
    words: 'reinstall',
    summary: 'Makes a daemon again whose resource or volume was deleted on the cluster; a kept volume is adopted.',
    route: 'POST /api/admin/managed-daemons/{orgId}/reinstall',
  }),
  confirmed({
    words: 'backup take',
    summary: 'Takes a backup of everything that the daemon keeps; may wake it.',
    route: 'POST /api/admin/managed-daemons/{orgId}/backups',
  }),
  confirmed({
    words: 'backup drill',
    summary: 'Restores the newest backup into a throw-away daemon and compares every file.',
    route: 'POST /api/admin/managed-daemons/{orgId}/backups/drill',
  }),
  confirmed({
    words: 'backup restore',
    summary: 'Puts a backup in place of what the daemon has; what it has is backed up first.',
    route: 'POST /api/admin/managed-daemons/{orgId}/restore',
    more: {
      body: RestoreRequest,
      options: {
        backup: { type: 'string', required: true, describe: 'The backup, from backup list (bak_…).' },
        'from-org': { type: 'string', describe: 'The organization that it is of, when it is another one.' },
      },
      fields: { backup: 'backupId', 'from-org': 'fromOrgId' },
    },
  }),
]
