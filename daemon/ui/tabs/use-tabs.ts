import { useEffect, useSyncExternalStore } from 'react'
import type { VaultSessions } from '../saving/vault-sessions.ts'
import type { TabStore } from './tab-store.ts'
import type { Workspace } from './workspace.ts'

/** The tabs and panes on the screen; the sessions are told which notes have a tab. */
export function useTabs({ tabs, sessions }: { tabs: TabStore; sessions: VaultSessions }): Workspace {
  const now = useSyncExternalStore(tabs.subscribe, tabs.current)
  useEffect(() => tabs.attach(), [tabs])
  useEffect(() => sessions.keepTabs(new Set(now.panes.flatMap((pane) => pane.tabs))), [sessions, now])
  // The vault is left: only the notes with unsent words stay open.
  useEffect(() => () => sessions.keepTabs(new Set()), [sessions])
  return now
}
