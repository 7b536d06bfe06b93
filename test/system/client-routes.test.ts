import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { clientRoutes, type OpenApiDocument } from '../support/client-routes.ts'
import { startControlPlane } from '../support/control-plane.ts'

const file = fileURLToPath(new URL('../../shared/client/control-plane-routes.ts', import.meta.url))

test('the types of the clients are those of the OpenAPI document with everything turned on', async () => {
  verifies('cp.client-types')
  const cp = await startControlPlane({
    environment: {
      MCP_ENABLED: '1',
      BACKUP_BUCKET: 'backups',
      BACKUP_ENDPOINT: 'http://127.0.0.1:9',
      BACKUP_KEY: 'a'.repeat(64),
    },
  })
  try {
    const { body } = await cp.person().get('/api/openapi.json')
    await expect(await clientRoutes(body as OpenApiDocument, file)).toMatchFileSnapshot(file)
  } finally {
    await cp.stop()
  }
})
