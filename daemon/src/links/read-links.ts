// A program of its own: reading a large vault never holds up the daemon, and what it allocates is given back at its end.
import { writeLinksOfVault, type LinksRequest } from './links-of-vault.ts'

const abandoned = () => process.exit(1)
process.once('disconnect', abandoned)
process.once('message', (request: LinksRequest) => {
  writeLinksOfVault(request)
  process.off('disconnect', abandoned)
  process.disconnect()
})
