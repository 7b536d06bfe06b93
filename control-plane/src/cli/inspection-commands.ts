import { RecoverClaimRequest } from '@svc/shared/wire/admin/admin.api.ts'
import { InventoryQuery } from '@svc/shared/wire/admin/inventory.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import {
  maybe,
  pageOf,
  pageOptions,
  textOf,
  UsageError,
  type Command,
  type CommandContext,
  type Option,
} from './command.ts'

const org: Option = { type: 'string', required: true, describe: 'Id of the organization (org_…).' }

const orgOf = (context: CommandContext) => parseOrFail(OrgParams, { orgId: textOf(context, 'org') })

/** Commands that read, and the recovery of a stale claim. */
export const inspectionCommands: Command[] = [
  {
    words: 'status',
    summary: 'Confirms system-admin access; lists workspace domains.',
    options: {},
    run: async (context) => (await context.withSession()).call('GET /api/admin/status'),
  },
  {
    words: 'inventory',
    summary: 'Lists entitlements and managed daemons.',
    options: {
      ...pageOptions,
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
      const query = parseOrFail(InventoryQuery, {
        ...pageOf(context),
        q: maybe(context, 'search'),
        orgId: maybe(context, 'org'),
        desiredState: maybe(context, 'desired'),
        observedState: maybe(context, 'observed'),
        image: maybe(context, 'image'),
        version: maybe(context, 'version'),
        standing: maybe(context, 'standing'),
        entitlement: maybe(context, 'entitlement'),
      })
      return (await context.withSession()).call('GET /api/admin/managed-daemons', { query })
    },
  },
  {
    words: 'overview',
    summary: 'Tells the fleet in numbers: how daemons stand, what needs somebody, storage, the last day.',
    options: {},
    run: async (context) => (await context.withSession()).call('GET /api/admin/overview'),
  },
  {
    words: 'mutations',
    summary: 'Lists the audited operations of an organization, newest first.',
    options: { org, ...pageOptions },
    run: async (context) => {
      const asked = { params: orgOf(context), query: pageOf(context) }
      return (await context.withSession()).call('GET /api/admin/orgs/{orgId}/mutations', asked)
    },
  },
  {
    words: 'events',
    summary: 'Lists what happened to the daemon of an organization, newest first.',
    options: { org, ...pageOptions },
    run: async (context) => {
      const asked = { params: orgOf(context), query: pageOf(context) }
      return (await context.withSession()).call('GET /api/admin/managed-daemons/{orgId}/events', asked)
    },
  },
  {
    words: 'backup list',
    summary: 'Lists the backups of an organization, newest first, and how they stand.',
    options: { org },
    run: async (context) => {
      const asked = { params: orgOf(context) }
      return (await context.withSession()).call('GET /api/admin/managed-daemons/{orgId}/backups', asked)
    },
  },
  {
    words: 'claims',
    summary: 'Lists the claims of operations under way; stale ones can be recovered.',
    options: {},
    run: async (context) => (await context.withSession()).call('GET /api/admin/mutation-claims'),
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
      const asked = { params: orgOf(context), body }
      return (await context.withSession()).call('POST /api/admin/orgs/{orgId}/mutation-claim/recover', asked)
    },
  },
]
