import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A self-signed certificate for 127.0.0.1 and its key, as PEM and as files. */
export type Certificate = { keyFile: string; certFile: string; key: string; cert: string }

/** Makes a certificate that is trusted only by clients that were given it. */
export async function makeCertificate(folder: string, name: string): Promise<Certificate> {
  const keyFile = join(folder, `${name}.key`)
  const certFile = join(folder, `${name}.crt`)
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`]
  const names = ['-addext', `subjectAltName=IP:127.0.0.1,DNS:${name}`]
  await promisify(execFile)('openssl', ['req', ...kind, ...names, '-keyout', keyFile, '-out', certFile])
  return { keyFile, certFile, key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') }
}
