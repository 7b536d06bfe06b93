import { createHash } from 'node:crypto'
import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { OrgId, Slug } from '@svc/shared/wire/ids.ts'
import { z } from 'zod'
import type { RateLimit } from './rate-limit.ts'

/** A person with a live session. */
export type Person = { id: string; name: string; email: string; emailVerified: boolean; image: string | null }
export type Session = { id: string; createdAt: Date; person: Person }

/**
 * An organization with the caller's role in it. `daemonMode` is null for the organization of the system admins alone.
 */
export type Membership = {
  organization: { id: string; slug: string; name: string; daemonMode: 'self_hosted' | 'cloud_hosted' | null }
  memberId: string
  role: Role
}

/** The caller, for audit rows: a person, or a bearer token by the first 8 hex digits of its hash. */
export type RequestActor = { kind: 'user'; id: string } | { kind: 'token'; id: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** The client address, behind our proxies; never a text that a caller chose. */
    clientAddress: string
    /** Set by every guard except the one for bearer tokens. */
    session: Session
    /** Set by `member` and `orgAdmin`. */
    membership: Membership
    /** Set by every guard. */
    actor: RequestActor
  }
}

export type GuardFinders = {
  findSession(cookieHeader: string | undefined): Promise<Session | undefined>
  findMembership(
    by: { userId: string; orgId: string } | { userId: string; orgSlug: string },
  ): Promise<Membership | undefined>
  clock: Clock
  sessionCookie: string
  operatorOrg: string | undefined
  adminToken: Secret | undefined
  rateLimit: RateLimit
  /** Whether this person signs in with a second factor; undefined where system admins need none. */
  hasTwoFactor: ((userId: string) => Promise<boolean>) | undefined
}

export type Guard = onRequestAsyncHookHandler
export type Guards = ReturnType<typeof createGuards>

/** Maximum age of the sign-in for admin mutations. */
const FRESH_MS = 10 * 60_000

/** Throws unless the sign-in is younger than ten minutes. A renewed cookie does not make it younger. */
export function requireFresh({ createdAt }: Session, clock: Pick<Clock, 'now'>): void {
  if (clock.now().getTime() - createdAt.getTime() > FRESH_MS) throw fail('fresh_sign_in_required')
}

/** Wrong bearer tokens that one address may try. The right token always passes, so nobody can lock its owner out. */
const WRONG_TOKENS = { key: 'wrong-token', max: 10, seconds: 60 }

/**
 * The guards of the routes, used as `onRequest`, so that nothing is parsed for callers who are not allowed. Each loads
 * its entity once, onto the request. An organization of somebody else is not_found, like one that does not exist.
 */
export function createGuards(finders: GuardFinders) {
  const { findSession, findMembership, clock, operatorOrg, hasTwoFactor } = finders

  const signedIn: Guard = async (request) => {
    const session = await findSession(request.headers.cookie)
    if (session === undefined) throw fail('unauthenticated')
    request.session = session
    request.actor = { kind: 'user', id: session.person.id }
  }

  const member: Guard = async function (request, reply) {
    await signedIn.call(this, request, reply)
    const membership = await findMembership({ userId: request.session.person.id, ...organizationOf(request) })
    if (membership === undefined) throw fail('not_found')
    request.membership = membership
  }

  const orgAdmin: Guard = async function (request, reply) {
    await member.call(this, request, reply)
    if (request.membership.role !== 'admin') throw fail('forbidden')
  }

  const isSystemAdmin = async (userId: string): Promise<boolean> => {
    if (operatorOrg === undefined) return false
    const found = await findMembership({ userId, orgId: operatorOrg })
    return found?.role === 'admin'
  }

  const systemAdmin: Guard = async function (request, reply) {
    await signedIn.call(this, request, reply)
    const { id } = request.session.person
    if (!(await isSystemAdmin(id))) throw fail('forbidden')
    // Turning it on ends all sessions without a second factor, so this session has one.
    if (hasTwoFactor !== undefined && !(await hasTwoFactor(id))) throw fail('second_factor_required')
  }

  /** Used after another guard: the session must be younger than ten minutes. */
  const freshSignIn: Guard = async (request) => {
    if (request.actor.kind !== 'token') requireFresh(request.session, clock)
  }

  const imageToken = tokenActor(finders)
  const systemAdminOrImageToken: Guard = async function (request, reply) {
    if (request.headers.authorization === undefined) {
      await systemAdmin.call(this, request, reply)
      await freshSignIn.call(this, request, reply)
    } else {
      const actor = imageToken(request)
      if (actor === undefined) {
        await finders.rateLimit({ ...WRONG_TOKENS, client: request.clientAddress })
        throw fail('unauthenticated')
      }
      request.actor = actor
    }
  }

  return { signedIn, member, orgAdmin, systemAdmin, freshSignIn, systemAdminOrImageToken, isSystemAdmin }
}

const PathOfOrganization = z.union([z.object({ orgId: OrgId }), z.object({ orgSlug: Slug })])

/** The organization of the path. Guards run before the route's schemas: a malformed id is not looked up. */
function organizationOf({ params }: FastifyRequest): z.output<typeof PathOfOrganization> {
  const { orgId, orgSlug } = params as { orgId?: unknown; orgSlug?: unknown }
  if (orgId === undefined && orgSlug === undefined)
    throw new Error('a guard for members stands on a route without :orgId and :orgSlug')
  const parsed = PathOfOrganization.safeParse(params)
  if (!parsed.success) throw fail('not_found')
  return parsed.data
}

/** The tokens in the value of MANAGED_DAEMON_ADMIN_TOKEN: during a change the old one and the new one. */
export const adminTokensIn = (text: string): string[] =>
  text
    .split(',')
    .map((token) => token.trim())
    .filter(Boolean)

/** The owner of a bearer token: compared in constant time, and refused beside a session cookie. */
function tokenActor({ adminToken, sessionCookie }: GuardFinders) {
  const hashes = adminTokensIn(adminToken?.reveal() ?? '').map(hashOf)

  return ({ headers }: FastifyRequest): RequestActor | undefined => {
    const [, token] = /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '') ?? []
    if (token === undefined || headers.cookie?.includes(`${sessionCookie}=`)) return undefined
    const given = hashOf(token)
    const known = hashes.filter((hash) => sameBytes(hash, given)).length > 0
    return known ? { kind: 'token', id: `token:${given.toString('hex').slice(0, 8)}` } : undefined
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
