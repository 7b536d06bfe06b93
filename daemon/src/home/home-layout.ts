import { join } from 'node:path'

/** Where files and folders are below SVC_HOME. */
export type HomeLayout = {
  home: string
  vaults: string
  daemon: string
  statusFile: string
  audit: string
  history: string
  index: string
  live: string
  news: string
  /** Lists of the folders of each vault that are separate disks. */
  mounted: string
  tmp: string
}

/** The layout of one home directory. */
export function homeLayout(home: string): HomeLayout {
  const daemon = join(home, 'daemon')
  return {
    home,
    vaults: join(home, 'vaults'),
    daemon,
    statusFile: join(daemon, 'status.json'),
    audit: join(daemon, 'audit'),
    history: join(daemon, 'history'),
    index: join(daemon, 'index'),
    live: join(daemon, 'live'),
    news: join(daemon, 'news'),
    mounted: join(daemon, 'mounted'),
    tmp: join(daemon, 'tmp'),
  }
}
