// A separate program: reading a large vault never blocks the daemon, and its memory is freed when it ends.
import { endChild } from '../home/end-child.ts'
import { writeLinksOfVault, type LinksRequest } from './links-of-vault.ts'

process.once('disconnect', endChild)
process.once('message', (request: LinksRequest) => {
  writeLinksOfVault(request)
  process.off('disconnect', endChild)
  process.disconnect()
})
