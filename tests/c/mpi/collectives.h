/* Counts the collective calls of MPI that this process makes, by whichever library: the program's functions come before MPI's,
 * which are reached by their other names. What MPI calls inside itself is not seen. */
static int collectives;

#define COUNTED(name, parameters, arguments)                                                                            \
    int name parameters                                                                                                 \
    {                                                                                                                   \
        collectives++;                                                                                                  \
        return P##name arguments;                                                                                       \
    }

COUNTED(MPI_Barrier, (MPI_Comm comm), (comm))
COUNTED(MPI_Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm))
COUNTED(MPI_Allreduce, (const void *from_, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from_, to, count, type, op, comm))
COUNTED(MPI_Reduce, (const void *from_, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (from_, to, count, type, op, root, comm))
COUNTED(MPI_Gather,
        (const void *from_, int sent, MPI_Datatype type, void *to, int got, MPI_Datatype other, int root, MPI_Comm comm),
        (from_, sent, type, to, got, other, root, comm))
COUNTED(MPI_Gatherv,
        (const void *from_, int sent, MPI_Datatype type, void *to, const int *got, const int *at, MPI_Datatype other,
         int root, MPI_Comm comm),
        (from_, sent, type, to, got, at, other, root, comm))
COUNTED(MPI_Allgather,
        (const void *from_, int sent, MPI_Datatype type, void *to, int got, MPI_Datatype other, MPI_Comm comm),
        (from_, sent, type, to, got, other, comm))
COUNTED(MPI_Allgatherv,
        (const void *from_, int sent, MPI_Datatype type, void *to, const int *got, const int *at, MPI_Datatype other,
         MPI_Comm comm),
        (from_, sent, type, to, got, at, other, comm))
COUNTED(MPI_Scatterv,
        (const void *from_, const int *sent, const int *at, MPI_Datatype type, void *to, int got, MPI_Datatype other,
         int root, MPI_Comm comm),
        (from_, sent, at, type, to, got, other, root, comm))
COUNTED(MPI_Alltoall,
        (const void *from_, int sent, MPI_Datatype type, void *to, int got, MPI_Datatype other, MPI_Comm comm),
        (from_, sent, type, to, got, other, comm))
COUNTED(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
COUNTED(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *part), (comm, color, key, part))
COUNTED(MPI_File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
        (comm, name, mode, info, file))
COUNTED(MPI_File_close, (MPI_File * file), (file))
COUNTED(MPI_File_set_view,
        (MPI_File file, MPI_Offset at, MPI_Datatype etype, MPI_Datatype ftype, const char *how, MPI_Info info),
        (file, at, etype, ftype, how, info))
COUNTED(MPI_File_set_size, (MPI_File file, MPI_Offset size), (file, size))
COUNTED(MPI_File_sync, (MPI_File file), (file))
COUNTED(MPI_File_read_at_all,
        (MPI_File file, MPI_Offset at, void *data, int count, MPI_Datatype type, MPI_Status *status),
        (file, at, data, count, type, status))
COUNTED(MPI_File_write_at_all,
        (MPI_File file, MPI_Offset at, const void *data, int count, MPI_Datatype type, MPI_Status *status),
        (file, at, data, count, type, status))
