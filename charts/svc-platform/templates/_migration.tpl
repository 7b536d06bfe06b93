{{- /* The environment of a process that changes the schema. Takes root and role. */ -}}
{{- define "svc.migrationEnv" -}}
{{- include "svc.controlPlaneEnv" . }}
{{- with include "svc.ownerSecret" .root | fromYaml }}
{{- if .name }}
- name: DATABASE_OWNER_URL
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* What a migration is made of. Takes root, component and role. */ -}}
{{- define "svc.migration" -}}
{{- $root := .root -}}
backoffLimit: {{ $root.Values.migrations.backoffLimit }}
activeDeadlineSeconds: {{ $root.Values.migrations.activeDeadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "svc.labels" . | nindent 6 }}
  spec:
    restartPolicy: OnFailure
    automountServiceAccountToken: false
    {{- include "svc.podSecurity" (dict "user" 10001) | nindent 4 }}
    {{- include "svc.pullSecrets" $root | nindent 4 }}
    {{- if $root.Values.trial.postgres.enabled }}
    # A trial's database has the application's role before its schema.
    initContainers:
      - name: roles
        image: {{ include "svc.image" (dict "root" $root "image" $root.Values.controlPlane.image) }}
        imagePullPolicy: {{ $root.Values.controlPlane.image.pullPolicy }}
        args: [roles]
        {{- include "svc.containerSecurity" . | nindent 8 }}
        env:
          {{- include "svc.migrationEnv" . | nindent 10 }}
          - name: DATABASE_APP_PASSWORD
            valueFrom:
              secretKeyRef:
                name: {{ include "svc.fullname" $root }}-trial-postgres
                key: app-password
        resources:
          {{- toYaml $root.Values.migrations.resources | nindent 10 }}
        volumeMounts:
          - { name: tmp, mountPath: /tmp }
          {{- with include "svc.authoritiesMount" $root }}{{ . | nindent 10 }}{{ end }}
    {{- end }}
    containers:
      - name: migrate
        image: {{ include "svc.image" (dict "root" $root "image" $root.Values.controlPlane.image) }}
        imagePullPolicy: {{ $root.Values.controlPlane.image.pullPolicy }}
        args: [migrate]
        {{- include "svc.containerSecurity" . | nindent 8 }}
        env:
          {{- include "svc.migrationEnv" . | nindent 10 }}
        resources:
          {{- toYaml $root.Values.migrations.resources | nindent 10 }}
        volumeMounts:
          - { name: tmp, mountPath: /tmp }
          {{- with include "svc.authoritiesMount" $root }}{{ . | nindent 10 }}{{ end }}
    volumes:
      - name: tmp
        emptyDir: { sizeLimit: 64Mi }
      {{- with include "svc.authoritiesVolume" $root }}{{ . | nindent 6 }}{{ end }}
{{- end }}
