import type { Answer, Person } from './person.ts'

type Operation = { orgId: string; path: string; operationId: string; confirmation: string; [more: string]: unknown }

/** Repeats an operation's request until it has an outcome: it may take longer than one request waits. */
export async function operate(admin: Person, { orgId, path, ...body }: Operation): Promise<Answer> {
  for (;;) {
    const answer = await admin.post(`/api/admin/managed-daemons/${orgId}/${path}`, { reason: 'a test', ...body })
    if (answer.body.error?.code !== 'operation_in_progress') return answer
  }
}
