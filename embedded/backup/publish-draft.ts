import { link, open, rename, rm } from 'node:fs/promises'

// Codes of disks without hard links, such as exFAT.
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Gives a complete draft its name. Fails with `EEXIST` if a file of that name has appeared; it is not replaced. */
export async function publishDraft(draft: string, file: string, makeLink: typeof link = link): Promise<void> {
  try {
    await makeLink(draft, file)
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await renameToNew(draft, file)
  }
  await rm(draft, { force: true })
}

/** An empty file takes the name first: only our own file is replaced. */
async function renameToNew(draft: string, file: string): Promise<void> {
  const taken = await open(file, 'wx', 0o600)
  try {
    await taken.close()
    await rename(draft, file)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}
