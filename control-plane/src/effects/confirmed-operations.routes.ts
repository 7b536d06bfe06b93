import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  CompedGrantResult,
  ConfirmedRequest,
  KeyRotationResult,
  ReinstallResult,
  SleepResult,
  StorageCheckResult,
  StorageGrowRequest,
  StorageGrowResult,
} from '@svc/shared/wire/admin/admin.api.ts'
import { mountConfirmed, type ConfirmedDeps, type ConfirmedOperation } from './mount-confirmed.ts'

const COMPED = '/api/admin/orgs/:orgId/managed-daemon/comped'
const DAEMON = '/api/admin/managed-daemons/:orgId'
const body = ConfirmedRequest
const operations: ConfirmedOperation[] = [
  { path: COMPED, action: 'comped_grant', body, result: CompedGrantResult },
  { path: `${DAEMON}/storage/check`, action: 'storage_check', body, result: StorageCheckResult },
  { path: `${DAEMON}/storage/grow`, action: 'storage_grow', body: StorageGrowRequest, result: StorageGrowResult },
  { path: `${DAEMON}/key/rotate`, action: 'key_rotation', body, result: KeyRotationResult },
  { path: `${DAEMON}/sleep`, action: 'sleep', body, result: SleepResult },
  { path: `${DAEMON}/reinstall`, action: 'reinstall', body, result: ReinstallResult },
]

/** The confirmed operations on managed daemons. */
export function confirmedOperationsRoutes(deps: ConfirmedDeps): FastifyPluginAsyncZod {
  return async (app) => mountConfirmed(app, deps, operations)
}
