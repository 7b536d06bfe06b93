import type { CodeSplittingGroup, Plugin } from 'rolldown'

/**
 * Puts modules that are loaded at the same time into the same file. Each file adds to the duration of a start, and the
 * bundler would create one for every set of entries that share modules. The roots are stages, which are loaded one
 * after the other with all their imports, parts, which are loaded when they are first needed, and programs, which run in
 * processes of their own. Modules that the same roots need form one chunk. Chunks never import each other in a circle,
 * because whatever a module imports is needed by at least the same roots.
 */
export function loadTogether({ stages, parts }: { stages: readonly string[]; parts: readonly string[] }) {
  const programs = new Set<string>()
  const roots = () => [...stages, ...parts, ...programs]
  const needs = new Map<string, Set<string>>()

  const plugin: Plugin = {
    name: 'load-together',
    buildEnd() {
      const visit = (id: string, root: string) => {
        const needing = needs.get(id) ?? new Set()
        if (needing.has(root)) return
        needs.set(id, needing.add(root))
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported, root)
      }
      for (const root of roots()) visit(root, root)
      // What an earlier stage has loaded is available in the later ones.
      for (const needing of needs.values())
        for (const [index, stage] of stages.entries())
          if (needing.has(stage)) for (const later of stages.slice(index + 1)) needing.add(later)
      for (const root of roots()) needs.delete(root)
    },
  }
  const group: CodeSplittingGroup = {
    debugName: 'load-together',
    name: (id) => {
      const needing = needs.get(id)
      if (!needing) return null
      const bits = roots().map((root) => (needing.has(root) ? '1' : '0'))
      return `part-${bits.join('')}`
    },
    includeDependenciesRecursively: false,
  }
  return { plugin, group, addProgram: (id: string) => void programs.add(id) }
}
