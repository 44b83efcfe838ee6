{{/* The template of a pod; `dataVolume` is a volume of the pod, or empty where the controller makes one. */}}
{{- define "svc.pod" -}}
{{- $values := .context.Values -}}
{{- $isCluster := eq $values.engine "cluster" -}}
{{- $configName := include "svc.configName" .context -}}
{{- $open := not $values.auth.enabled -}}
{{- $isFailover := and (not $isCluster) $values.failover.enabled -}}
{{- /* No other replica is ready before a primary has handed over, so balancers have nothing to notice. */}}
{{- $shutdownDelay := ternary 0 $values.shutdownDelaySeconds $isFailover -}}
metadata:
  labels:
    {{- include "svc.labels" .context | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or $configName $values.podAnnotations }}
  annotations:
    {{- if $configName }}
    checksum/config: {{ include "svc.config" .context | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "svc.serviceAccount" .context }}
  automountServiceAccountToken: false
  # Variables of services whose names begin with svc would be taken for options.
  enableServiceLinks: false
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # The service ends within five seconds after the delay. SIGTERM hands over, so there is no preStop hook.
  terminationGracePeriodSeconds: {{ add $values.terminationGracePeriodSeconds $shutdownDelay }}
  securityContext:
    {{- toYaml $values.podSecurityContext | nindent 4 }}
  containers:
    - name: svc
      image: {{ include "svc.image" .context | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [serve]
      securityContext:
        {{- toYaml $values.securityContext | nindent 8 }}
      env:
        # A folder of the volume, which the service creates for itself alone.
        - { name: SVC_DATA_DIR, value: /var/lib/svc/data }
        - { name: SVC_HTTP_HOST, value: 0.0.0.0 }
        - { name: SVC_HTTP_PORT, value: '8080' }
        - { name: SVC_STRICT_PORT, value: 'true' }
        - { name: SVC_HTTP_METRICS_PORT, value: '8081' }
        - { name: SVC_LOG_STDOUT, value: json }
        - { name: SVC_SHUTDOWN_DELAY_SECONDS, value: {{ $shutdownDelay | quote }} }
        - { name: SVC_ENGINE, value: {{ $values.engine }} }
        - { name: SVC_AUTHENTICATION, value: {{ $values.auth.enabled | quote }} }
        {{- if $open }}
        - { name: SVC_ALLOW_UNAUTHENTICATED, value: 'true' }
        {{- else }}
        - { name: SVC_ADMIN_PASSWORD_FILE, value: /run/secrets/svc/password }
        {{- end }}
        {{- if $configName }}
        - { name: SVC_CONFIG, value: /etc/svc/{{ $configName }} }
        {{- end }}
        {{- if $values.tls.existingSecret }}
        - { name: SVC_HTTP_TLS_CERT, value: /run/secrets/tls/tls.crt }
        - { name: SVC_HTTP_TLS_KEY, value: /run/secrets/tls/tls.key }
        {{- end }}
        {{- if $isFailover }}
        - { name: SVC_BACKUP_CONTINUOUS_URL, value: {{ $values.failover.url | quote }} }
        - { name: SVC_BACKUP_CONTINUOUS_FAILOVER, value: 'true' }
        - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
        - name: SVC_BACKUP_CONTINUOUS_ADVERTISED_URL
          value: {{ printf "%s://$(POD_NAME).%s-headless.%s.svc:%v" (ternary "https" "http" (ne $values.tls.existingSecret "")) (include "svc.fullname" .context) .context.Release.Namespace $values.service.port | quote }}
        {{- with $values.failover.existingSecret }}
        {{- range $key := list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
        - { name: {{ $key }}, valueFrom: { secretKeyRef: { name: {{ $values.failover.existingSecret }}, key: {{ $key }} } } }
        {{- end }}
        {{- end }}
        {{- end }}
        {{- if $isCluster }}
        - { name: SVC_ENDPOINTS, value: {{ join "," $values.cluster.endpoints | quote }} }
        {{- with $values.cluster.existingSecret }}
        - name: SVC_ENGINE_CLUSTER_USER
          valueFrom: { secretKeyRef: { name: {{ . }}, key: username } }
        - { name: SVC_ENGINE_CLUSTER_PASSWORD_FILE, value: /run/secrets/cluster/password }
        {{- end }}
        {{- if $values.cluster.tls.enabled }}
        - { name: SVC_ENGINE_CLUSTER_TLS_ENABLED, value: 'true' }
        {{- if $values.cluster.tls.existingSecret }}
        - { name: SVC_ENGINE_CLUSTER_TLS_CA, value: /run/secrets/cluster-tls/ca.crt }
        {{- end }}
        {{- end }}
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: {{ ternary "https" "http" (ne $values.tls.existingSecret "") }}, containerPort: 8080 }
        - { name: metrics, containerPort: 8081 }
      startupProbe:
        httpGet: { path: /health/live, port: metrics }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: {{ max 1 (div (add $values.startupSeconds 1) 2) }}
      livenessProbe:
        httpGet: { path: /health/live, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: metrics }
        # Requests reach a new primary when it is ready.
        periodSeconds: {{ ternary 1 2 $isFailover }}
        timeoutSeconds: 5
        failureThreshold: 2
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - { name: data, mountPath: /var/lib/svc }
        # The service writes the extension of SQLite there and loads it.
        - { name: temporary, mountPath: /tmp }
        {{- if not $open }}
        - { name: password, mountPath: /run/secrets/svc, readOnly: true }
        {{- end }}
        {{- if $configName }}
        - { name: config, mountPath: /etc/svc, readOnly: true }
        {{- end }}
        {{- if $values.tls.existingSecret }}
        - { name: tls, mountPath: /run/secrets/tls, readOnly: true }
        {{- end }}
        {{- if and $isCluster $values.cluster.existingSecret }}
        - { name: cluster, mountPath: /run/secrets/cluster, readOnly: true }
        {{- end }}
        {{- if and $isCluster $values.cluster.tls.existingSecret }}
        - { name: cluster-tls, mountPath: /run/secrets/cluster-tls, readOnly: true }
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- with .dataVolume }}
    - {{ . }}
    {{- end }}
    - name: temporary
      {{- if $values.temporarySizeLimit }}
      emptyDir: { sizeLimit: {{ $values.temporarySizeLimit }} }
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- if not $open }}
    - name: password
      secret: { secretName: {{ include "svc.passwordSecret" .context }}, items: [{ key: password, path: password }] }
    {{- end }}
    {{- if $configName }}
    - name: config
      secret: { secretName: {{ include "svc.fullname" .context }}-config }
    {{- end }}
    {{- with $values.tls.existingSecret }}
    - name: tls
      secret: { secretName: {{ . }} }
    {{- end }}
    {{- if and $isCluster $values.cluster.existingSecret }}
    - name: cluster
      secret: { secretName: {{ $values.cluster.existingSecret }}, items: [{ key: password, path: password }] }
    {{- end }}
    {{- if and $isCluster $values.cluster.tls.existingSecret }}
    - name: cluster-tls
      secret: { secretName: {{ $values.cluster.tls.existingSecret }}, items: [{ key: ca.crt, path: ca.crt }] }
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $values.affinity }}
  affinity:
    {{- toYaml $values.affinity | nindent 4 }}
  {{- else if $isFailover }}
  # Replicas on one machine are lost together.
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "svc.selector" .context | nindent 16 }}
  {{- end }}
  {{- with $values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
