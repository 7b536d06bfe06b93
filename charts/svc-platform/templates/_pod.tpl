{{- /* What every pod of the platform is: not root, no privileges, no service links. */ -}}
{{- define "svc.podSecurity" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "svc.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- /* Where a process of the control plane finds further certificate authorities. */ -}}
{{- define "svc.authoritiesMount" -}}
{{- if .Values.controlPlane.caConfigMap -}}
- { name: ca, mountPath: /var/run/svc/ca, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "svc.authoritiesVolume" -}}
{{- with .Values.controlPlane.caConfigMap -}}
- name: ca
  configMap: { name: {{ . }} }
{{- end -}}
{{- end -}}

{{- define "svc.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Where pods of a component run. Takes root, component and the component's values. */ -}}
{{- define "svc.scheduling" -}}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- if .values.topologyKey }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: {{ .values.topologyKey }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "svc.selectorLabels" . | nindent 8 }}
{{- end }}
{{- end -}}

{{- /*
With OrderedReady an upgrade never replaces a pod that is not ready. The policy of a StatefulSet cannot be changed: one
that a release before made keeps its own. Takes root and name.
*/ -}}
{{- define "svc.podManagement" -}}
{{- $live := lookup "apps/v1" "StatefulSet" .root.Release.Namespace .name -}}
podManagementPolicy: {{ dig "spec" "podManagementPolicy" "Parallel" $live }}
{{- end -}}
