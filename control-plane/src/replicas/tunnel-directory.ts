/** A tunnel as other replicas know it. */
export type DirectoryEntry = {
  connectionId: string
  replicaId: string
  /** URL of that replica's internal listener. */
  url: string
  daemonId: string
  keyId: number
  version: string
  connectedAt: string
  /** The daemon was asked to connect elsewhere. Requests still use this tunnel until it has. */
  leaving: boolean
}

/** A replica that accepts tunnels, and how many it holds; undefined until it has reported. */
export type Replica = { replicaId: string; tunnels: number | undefined }

/**
 * The holders of one organization's tunnels. An epoch is the tenure of one daemon instance: another instance starts a
 * higher one, and entries of a lower epoch are refused, so that two daemons never serve one organization.
 */
export type Tenure = { epoch: number; entries: readonly DirectoryEntry[] }

/** A tunnel to register. `epoch` is undefined at first, then what the directory returned. */
export type Registration = {
  orgId: string
  connectionId: string
  daemonId: string
  instanceKey: string
  keyId: number
  version: string
  connectedAt: Date
  epoch: number | undefined
  leaving: boolean
}

/**
 * The result of a registration: its epoch and the number of entries in it, leaving ones included; `superseded` when a
 * newer instance has taken over; `full` when there would be one entry too many.
 */
export type Registered = { epoch: number; tunnels: number } | 'superseded' | 'full'

/** Entries of one daemon at a time, leaving ones included: twice what it may keep, so that all can move at once. */
export const MAX_ENTRIES = 8

/**
 * The directory of tunnels. A stale entry costs at most one hop: the called replica says so, and the entry is read
 * again.
 */
export type TunnelDirectory = {
  /** Registers or renews a tunnel. */
  register(tunnel: Registration): Promise<Registered>
  remove(orgId: string, connectionId: string): Promise<void>
  /** The cached entry; a moment old at most, older only while the directory cannot be read. */
  find(orgId: string): Promise<Tenure>
  /** Reads the entry now instead of from the cache. */
  refresh(orgId: string): Promise<Tenure>
  /** Replicas that accept tunnels, including this one; the last known ones while the directory cannot be read. */
  replicaCount(): number
  /** Those replicas with their loads; none while the directory cannot be read. */
  replicas(): readonly Replica[]
  /** Calls back when the tunnels of an organization changed on another replica. */
  onChange(listener: (orgId: string) => void): void
  /** Calls back when entries may be lost, so that all must be renewed. */
  onReturn(listener: () => void): void
  start(): Promise<void>
  /** Stops counting this replica among those that accept tunnels. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** The directory of an only replica: no tunnel is ever elsewhere. */
export function createMemoryDirectory(): TunnelDirectory {
  const tenures = new Map<string, { epoch: number; instanceKey: string; connections: Set<string> }>()
  const nothing: Tenure = { epoch: 0, entries: [] }
  return {
    register: async ({ orgId, connectionId, instanceKey, epoch }) => {
      const known = tenures.get(orgId)
      if (known !== undefined && epoch !== undefined && epoch < known.epoch) return 'superseded'
      const tenure =
        known?.instanceKey === instanceKey
          ? known
          : { epoch: (known?.epoch ?? 0) + 1, instanceKey, connections: new Set<string>() }
      if (!tenure.connections.has(connectionId) && tenure.connections.size >= MAX_ENTRIES) return 'full'
      tenure.connections.add(connectionId)
      tenures.set(orgId, tenure)
      return { epoch: tenure.epoch, tunnels: tenure.connections.size }
    },
    remove: async (orgId, connectionId) => {
      const known = tenures.get(orgId)
      if (known?.connections.delete(connectionId) && known.connections.size === 0) tenures.delete(orgId)
    },
    find: async () => nothing,
    refresh: async () => nothing,
    replicaCount: () => 1,
    replicas: () => [],
    onChange: () => {},
    onReturn: () => {},
    start: async () => {},
    leave: async () => {},
    close: async () => {},
  }
}
