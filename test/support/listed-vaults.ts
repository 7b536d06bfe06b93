import { until } from './until.ts'

type Listed = { organizations: { state: string }[] }

/**
 * The answer to a person's request for the list of vaults. A daemon that does not respond in time is listed as failed,
 * as on a busy machine; then the list is read again.
 */
export async function listedVaults<Body extends Listed>(list: () => Promise<{ body: Body }>): Promise<Body> {
  let { body } = await list()
  await until('every organization is listed in time', async () => {
    if (body.organizations.every(({ state }) => state !== 'failed')) return true
    body = (await list()).body
    return false
  })
  return body
}
