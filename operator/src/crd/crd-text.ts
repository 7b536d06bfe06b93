import { stringify } from 'yaml'
import { managedDaemonCrd } from './managed-daemon-crd.ts'

const HEADER = '# Generated from shared/wire/managed-daemon.ts: change it there, then run npm run generate:crd.\n'

/** The text of crds/managed-daemon.yaml. */
export function crdText(): string {
  return HEADER + stringify(managedDaemonCrd(), { lineWidth: 118, aliasDuplicateObjects: false, singleQuote: true })
}
