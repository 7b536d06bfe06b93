import { cachedOnce } from '../../setup/cache.mjs'
import { unpackDebianPackages } from '../../setup/debian.mjs'

/** Folder with the files of a Debian package, unpacked once into the user's cache; nothing is installed or started. */
export async function debianPackage(name: string): Promise<string> {
  return cachedOnce(name, (folder) => unpackDebianPackages([name], folder)).catch((error: Error) => {
    throw new Error(`The Debian package ${name} could not be had: ${error.message}`, { cause: error })
  })
}
