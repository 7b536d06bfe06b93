import type { Answer, Person } from './person.ts'

type Operation = { orgId: string; path: string; operationId: string; confirmation: string; [more: string]: unknown }

/** Repeats an operation's request until it has an outcome: it may take longer than one request waits. */
export const operate = (admin: Person, { orgId, path, ...body }: Operation): Promise<Answer> =>
  untilOutcome(() => admin.post(`/api/admin/managed-daemons/${orgId}/${path}`, { reason: 'a test', ...body }))

/** The same for any request of an operation; each time it must name the same operation. */
export async function untilOutcome(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request()
    if (answer.body.error?.code !== 'operation_in_progress') return answer
  }
}
