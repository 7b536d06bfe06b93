import { z } from 'zod'
import { resourceRules, specRules, type SpecRule } from '@svc/shared/wire/managed-daemon-rules.ts'
import {
  GROUP,
  KIND,
  ManagedDaemonSpec,
  ManagedDaemonStatus,
  PLURAL,
  VERSION,
} from '@svc/shared/wire/managed-daemon.ts'
import { stringify } from 'yaml'

type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; items?: Schema }

/** The definition of the resource, generated from the schemas that validate it in the code. */
export function managedDaemonCrd() {
  const spec = structural(z.toJSONSchema(ManagedDaemonSpec, { io: 'input' }) as Schema)
  spec['x-kubernetes-validations'] = specRules.map(toValidation)
  const status = structural(z.toJSONSchema(ManagedDaemonStatus, { io: 'input' }) as Schema)

  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${PLURAL}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: KIND, listKind: `${KIND}List`, plural: PLURAL, singular: 'manageddaemon', shortNames: ['mdm'] },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'One isolated daemon of one organization. Spec goes down, status comes up.',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: { ...spec, description: 'What the control plane wants.' },
                status: { ...status, description: 'What the operator sees.' },
              },
              'x-kubernetes-validations': [
                {
                  rule: "self.metadata.name == 'org-' + self.spec.orgId.substring(4)",
                  message: 'the name is org-<body of spec.orgId>',
                },
                ...resourceRules.map(toValidation),
              ],
            },
          },
        },
      ],
    },
  }
}

const toValidation = ({ cel, message }: SpecRule) => ({ rule: cel, message })

const printerColumns = [
  { name: 'Org', type: 'string', jsonPath: '.spec.orgSlug' },
  { name: 'Desired', type: 'string', jsonPath: '.spec.desiredState' },
  { name: 'Observed', type: 'string', jsonPath: '.status.observedState' },
  { name: 'Image', type: 'string', jsonPath: '.status.image' },
  { name: 'Storage', type: 'string', jsonPath: '.spec.storage.size' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

// Lists of items with an identity are maps, so that writers do not overwrite each other's positions.
const listKeys: Record<string, string> = { conditions: 'type', keys: 'generation' }

// Keywords of JSON Schema that structural schemas of Kubernetes do not allow or do not need.
const dropped = new Set(['$schema', 'additionalProperties'])

function structural(schema: Schema, name = ''): Schema {
  const { properties, items, ...rest } = schema
  const kept: Schema = Object.fromEntries(Object.entries(rest).filter(([key]) => !dropped.has(key)))
  // The pattern of a time is the schema library's own; the format says the same.
  if (kept.format === 'date-time') delete kept.pattern
  if (kept.type === 'integer') {
    if (kept.maximum === Number.MAX_SAFE_INTEGER) delete kept.maximum
    kept.format = 'int64'
  }
  const key = listKeys[name]
  if (kept.type === 'array' && key) {
    kept['x-kubernetes-list-type'] = 'map'
    kept['x-kubernetes-list-map-keys'] = [key]
  }
  if (properties)
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, structural(each, name)]),
    )
  if (items) kept.items = structural(items)
  return kept
}

const HEADER = '# Generated from shared/wire/managed-daemon.ts: change it there, then run npm run generate:crd.\n'

/** The text of crds/managed-daemon.yaml. */
export function crdText(): string {
  return HEADER + stringify(managedDaemonCrd(), { lineWidth: 118, aliasDuplicateObjects: false, singleQuote: true })
}
