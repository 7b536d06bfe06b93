import { SetLimitsRequest } from '@svc/shared/wire/admin/limits.api.ts'
import { OrgParams } from '@svc/shared/wire/control-plane.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { maybe, numberOf, textOf, type Command, type Option } from './command.ts'

const org: Option = { type: 'string', required: true, describe: 'Id of the organization (org_…).' }

/** Commands for the limits of one organization. */
export const limitCommands: Command[] = [
  {
    words: 'limits show',
    summary: 'Shows the limits of an organization: those that apply, its own, and those of the platform.',
    options: { org },
    run: async (context) => {
      const params = parseOrFail(OrgParams, { orgId: textOf(context, 'org') })
      return (await context.withSession()).call('GET /api/admin/orgs/{orgId}/limits', { params })
    },
  },
  {
    words: 'limits set',
    summary: 'Replaces the limits of its own that an organization has; a limit that is not given is the platform’s.',
    options: {
      org,
      requests: { type: 'string', describe: 'Requests and live sessions at a time.' },
      'bytes-per-second': { type: 'string', describe: 'Bytes per second over time, both directions together.' },
      'person-percent': { type: 'string', describe: 'Part of the bytes that one person or agent may use alone.' },
      'body-bytes': { type: 'string', describe: 'Largest body of one request, such as an upload.' },
      tunnels: { type: 'string', describe: 'Tunnels that its daemon may hold, 1 to 4.' },
      'storage-max-size': { type: 'string', describe: 'Size up to which its volume grows by itself, such as 20Gi.' },
      confirm: { type: 'string', required: true, describe: 'The exact short name (slug) of the organization.' },
      reason: { type: 'string', required: true, describe: 'Why; kept in the audit.' },
    },
    run: async (context) => {
      const params = parseOrFail(OrgParams, { orgId: textOf(context, 'org') })
      const own = {
        requests: numberOf(context, 'requests'),
        bytesPerSecond: numberOf(context, 'bytes-per-second'),
        personPercent: numberOf(context, 'person-percent'),
        bodyBytes: numberOf(context, 'body-bytes'),
        tunnels: numberOf(context, 'tunnels'),
        storageMaxSize: maybe(context, 'storage-max-size'),
      }
      const body = parseOrFail(SetLimitsRequest, {
        reason: textOf(context, 'reason'),
        confirmation: textOf(context, 'confirm'),
        own,
      })
      return (await context.withSession()).call('PUT /api/admin/orgs/{orgId}/limits', { params, body })
    },
  },
]
