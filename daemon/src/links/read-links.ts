// A separate program: reading a large vault never blocks the daemon, and its memory is freed at its end.
import { writeLinksOfVault, type LinksRequest } from './links-of-vault.ts'

const abandoned = () => process.exit(1)
process.once('disconnect', abandoned)
process.once('message', (request: LinksRequest) => {
  writeLinksOfVault(request)
  process.off('disconnect', abandoned)
  process.disconnect()
})
