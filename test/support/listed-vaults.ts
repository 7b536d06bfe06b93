import { until } from './until.ts'

type Listed = { organizations: { state: string }[] }

/**
 * The answer to a person's request for the list of vaults. A daemon that does not respond in time is listed as failed,
 * as on a busy machine; then the list is read again.
 */
export async function listedVaults<Body extends Listed>(
  list: () => Promise<{ status: number; body: Body }>,
): Promise<Body> {
  let { status, body } = await list()
  await until('every organization is listed in time', async () => {
    if (status === 200 && body.organizations.every(({ state }) => state !== 'failed')) return true
    ;({ status, body } = await list())
    return false
  })
  return body
}
