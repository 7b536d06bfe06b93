import { expect } from 'vitest'
import type { Person } from './person.ts'
import { until } from './until.ts'

/** Deletes an organization and waits until it is hidden, which may take longer than the request waits. */
export async function deleteOrganization(admin: Person, { id, name }: { id: string; name: string }): Promise<void> {
  const deleted = await admin.delete(`/api/orgs/${id}`, { name })
  if (deleted.body.error?.code !== 'operation_in_progress') return expect(deleted.body).toEqual({ ok: true })
  await until('the organization is hidden', async () => {
    const { status, body } = await admin.get('/api/settings')
    return status === 200 && !body.organizations.some((organization: { id: string }) => organization.id === id)
  })
}
