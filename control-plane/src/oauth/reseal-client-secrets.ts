import type { SecretStore } from './client-secrets.ts'
import type { ClientsRepository } from './clients.repository.ts'

type Deps = { clients: Pick<ClientsRepository, 'listSecrets' | 'updateSecret'>; secrets: Pick<SecretStore, 'reseal'> }

/** Seals the secrets of clients with the present secret. Returns how many were resealed, and how many none opens. */
export function createResealClientSecrets({ clients, secrets }: Deps) {
  return async (): Promise<{ resealed: number; unopened: number }> => {
    const count = { resealed: 0, unopened: 0 }
    let page = await clients.listSecrets('')
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      for (const client of page) {
        const sealed = secrets.reseal(client.clientSecret)
        if (sealed === undefined) count.unopened += 1
        else if (sealed !== client.clientSecret) {
          await clients.updateSecret(client, sealed)
          count.resealed += 1
        }
      }
      page = await clients.listSecrets(last.clientId)
    }
    return count
  }
}
