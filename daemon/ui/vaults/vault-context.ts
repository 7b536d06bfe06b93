import { createContext, useContext } from 'react'
import type { Capability, PersonHere } from '@svc/shared/wire/person.api.ts'
import type { Refusal } from '../api/refusal.ts'
import type { Route } from '../app/route.ts'
import type { EditingLook } from '../editor/editing-look.ts'
import type { TreeNode, VaultSummary } from '../api/daemon-client.ts'
import type { VaultSessions } from '../saving/vault-sessions.ts'
import type { LinkIndex } from '../links/link-index.ts'
import type { TabFile, TabStore } from '../tabs/tab-store.ts'

/** What is shown over the page. */
export type Overlay =
  | 'switcher'
  | 'palette'
  | 'cheat-sheet'
  | 'new-note'
  | 'new-vault'
  | 'templates'
  /** Choose a template to insert into this note. */
  | { templateFor: string }
  | { newNoteIn: string }
  /** Create a note from this template. */
  | { newNoteFrom: string }
  | { newFolderIn: string }
  | { move: string; to?: string }

/** How the open note is shown. */
export type Mode = 'reading' | 'source'

/** The open vault and what its parts share. */
export type OpenVault = {
  vault: VaultSummary
  /** The visitor, and the vaults that they may open. */
  here: PersonHere
  can: (act: Capability) => boolean
  tree: readonly TreeNode[]
  index: LinkIndex
  /** Why the tree could not be read, if it is not known and the page does not try again by itself. */
  treeRefusal: Refusal | undefined
  sessions: VaultSessions
  mode: Mode
  setMode: (mode: Mode) => void
  /** How notes are edited: with rendered Markdown or as source. */
  look: EditingLook
  toggleLook: () => void
  show: (overlay: Overlay | undefined) => void
  /** Opens a note, an attachment or a page of the vault, and closes the drawers of a small screen. */
  open: (path: string | undefined, place?: Omit<Route, 'vaultId' | 'path'>) => void
  /** Opens a file in a tab of its own. */
  openTab: (file: TabFile, as: 'shown' | 'behind') => void
  tabs: TabStore
  searchFor: (query: string) => void
  refreshTree: () => void
  /** Shows a short message. */
  announce: (message: string, undo?: () => void) => void
}

/** Provides the open vault. */
export const VaultContext = createContext<OpenVault | undefined>(undefined)

export function useVault(): OpenVault {
  const vault = useContext(VaultContext)
  if (vault === undefined) throw new Error('no vault around this component')
  return vault
}
