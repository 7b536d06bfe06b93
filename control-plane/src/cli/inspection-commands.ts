import {
  ClaimList,
  LifecycleEventList,
  MutationList,
  RecoverClaimRequest,
  RecoverClaimResult,
} from '@svc/shared/wire/admin/admin.api.ts'
import { Inventory, InventoryQuery, Overview } from '@svc/shared/wire/admin/inventory.api.ts'
import { BackupList } from '@svc/shared/wire/admin/admin-backups.api.ts'
import { AdminStatus, OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { maybe, textOf, UsageError, type Command, type CommandContext, type Option } from './command.ts'

const org: Option = { type: 'string', required: true, describe: 'Id of the organization (org_…).' }
const limit: Option = { type: 'string', describe: 'Rows to list, 1 to 200; default 50.' }
const cursor: Option = { type: 'string', describe: 'nextCursor of the page before.' }

const orgOf = (context: CommandContext) => parseOrFail(OrgParams, { orgId: textOf(context, 'org') }).orgId

/** Turns the given options into a query: option names become names on the wire. */
function queryOf(context: CommandContext, names: Record<string, string>): string {
  const given = Object.entries(names).flatMap(([option, name]) => {
    const value = maybe(context, option)
    return value === undefined ? [] : [[name, value]]
  })
  const text = new URLSearchParams(given).toString()
  return text === '' ? '' : `?${text}`
}
const page = { limit: 'limit', cursor: 'cursor' }
const inventoryNames = {
  ...page,
  search: 'q',
  org: 'orgId',
  desired: 'desiredState',
  observed: 'observedState',
  image: 'image',
  version: 'version',
  standing: 'standing',
  entitlement: 'entitlement',
}

/** Commands that read, and the recovery of a stale claim. */
export const inspectionCommands: Command[] = [
  {
    words: 'status',
    summary: 'Confirms system-admin access; lists workspace domains.',
    options: {},
    run: async (context) => (await context.withSession()).get('/api/admin/status', AdminStatus),
  },
  {
    words: 'inventory',
    summary: 'Lists entitlements and managed daemons.',
    options: {
      limit,
      cursor,
      search: { type: 'string', describe: 'Part of an id, slug or name.' },
      org: { ...org, required: undefined },
      desired: { type: 'string', describe: 'running or sleeping.' },
      observed: { type: 'string', describe: 'Observed state, such as degraded.' },
      image: { type: 'string', describe: 'Exact wanted image.' },
      version: { type: 'string', describe: 'Version that the daemon reports.' },
      standing: { type: 'string', describe: 'attention, changing, running or asleep.' },
      entitlement: { type: 'string', describe: 'comped, paid or none.' },
    },
    run: async (context) => {
      const query = queryOf(context, inventoryNames)
      parseOrFail(InventoryQuery, Object.fromEntries(new URLSearchParams(query)))
      return (await context.withSession()).get(`/api/admin/managed-daemons${query}`, Inventory)
    },
  },
  {
    words: 'overview',
    summary: 'Tells the fleet in numbers: how daemons stand, what needs somebody, storage, the last day.',
    options: {},
    run: async (context) => (await context.withSession()).get('/api/admin/overview', Overview),
  },
  {
    words: 'mutations',
    summary: 'Lists the audited operations of an organization, newest first.',
    options: { org, limit, cursor },
    run: async (context) => {
      const path = `/api/admin/orgs/${orgOf(context)}/mutations${queryOf(context, page)}`
      return (await context.withSession()).get(path, MutationList)
    },
  },
  {
    words: 'events',
    summary: 'Lists what happened to the daemon of an organization, newest first.',
    options: { org, limit, cursor },
    run: async (context) => {
      const path = `/api/admin/managed-daemons/${orgOf(context)}/events${queryOf(context, page)}`
      return (await context.withSession()).get(path, LifecycleEventList)
    },
  },
  {
    words: 'backup list',
    summary: 'Lists the backups of an organization, newest first, and how they stand.',
    options: { org },
    run: async (context) =>
      (await context.withSession()).get(`/api/admin/managed-daemons/${orgOf(context)}/backups`, BackupList),
  },
  {
    words: 'claims',
    summary: 'Lists the claims of operations under way; stale ones can be recovered.',
    options: {},
    run: async (context) => (await context.withSession()).get('/api/admin/mutation-claims', ClaimList),
  },
  {
    words: 'recover',
    summary: 'Frees one stale claim, so that its operation can be asked for again.',
    options: {
      org,
      action: { type: 'string', required: true, describe: 'The exact action of the claim.' },
      owner: { type: 'string', required: true, describe: 'The exact owner of the claim, as `claims` lists it.' },
      confirm: { type: 'string', required: true, describe: 'The exact short name (slug) of the organization.' },
      'executor-stopped': { type: 'boolean', describe: 'Confirms that the original executor has stopped. Needed.' },
    },
    run: async (context) => {
      if (context.values['executor-stopped'] !== true) throw new UsageError('--executor-stopped is needed')
      const body = parseOrFail(RecoverClaimRequest, {
        action: textOf(context, 'action'),
        expectedOwner: textOf(context, 'owner'),
        confirmation: textOf(context, 'confirm'),
        executorStopped: true,
      })
      const path = `/api/admin/orgs/${orgOf(context)}/mutation-claim/recover`
      return (await context.withSession()).post(path, body, RecoverClaimResult)
    },
  },
]
