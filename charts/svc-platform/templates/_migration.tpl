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
    containers:
      - name: migrate
        image: {{ include "svc.image" (dict "root" $root "image" $root.Values.controlPlane.image) }}
        imagePullPolicy: {{ $root.Values.controlPlane.image.pullPolicy }}
        args: [migrate]
        {{- include "svc.containerSecurity" . | nindent 8 }}
        env:
          {{- include "svc.controlPlaneEnv" . | nindent 10 }}
          {{- with $root.Values.database.ownerSecretKey }}
          - name: DATABASE_OWNER_URL
            valueFrom:
              secretKeyRef:
                name: {{ $root.Values.database.existingSecret }}
                key: {{ . }}
          {{- end }}
        resources:
          {{- toYaml $root.Values.migrations.resources | nindent 10 }}
        volumeMounts:
          - { name: tmp, mountPath: /tmp }
    volumes:
      - name: tmp
        emptyDir: { sizeLimit: 64Mi }
{{- end }}
