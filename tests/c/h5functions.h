/* The functions of libhdf5 the tests call, one line each: F(result, name, (arguments)).
 *
 * Written down here instead of taken from hdf5.h because one program must run against 1.12 to 2.2,
 * loaded at run time. A function a host does not have is NULL in the table. Generated once from the
 * 2.2.0 headers, with enums as int; the ABI of every entry is the same in 1.14 and 2.x. The _async
 * ones are macros in hdf5.h over functions that take (file, function, line) first, as here.
 */
#ifndef H5FUNCTIONS_H
#define H5FUNCTIONS_H

/* clang-format off */
#define H5_FUNCTIONS(F) \
    F(herr_t, H5open, (void)) \
    F(herr_t, H5close, (void)) \
    F(herr_t, H5dont_atexit, (void)) \
    F(herr_t, H5free_memory, (void *mem)) \
    F(herr_t, H5get_libversion, (unsigned *majnum, unsigned *minnum, unsigned *relnum)) \
    F(herr_t, H5is_library_threadsafe, (bool *is_ts)) \
    \
    F(herr_t, H5Eset_auto1, (void *func, void *client_data)) \
    F(herr_t, H5Eset_auto2, (hid_t estack_id, void *func, void *client_data)) \
    F(herr_t, H5Ewalk2, (hid_t err_stack, int direction, H5E_walk2_t func, void *client_data)) \
    F(ssize_t, H5Eget_msg, (hid_t msg_id, int *type, char *msg, size_t size)) \
    F(ssize_t, H5Eget_class_name, (hid_t class_id, char *name, size_t size)) \
    F(herr_t, H5Eclear2, (hid_t err_stack)) \
    F(hid_t, H5Eget_current_stack, (void)) \
    F(herr_t, H5Eset_current_stack, (hid_t err_stack_id)) \
    F(herr_t, H5Eclose_stack, (hid_t stack_id)) \
    F(ssize_t, H5Eget_num, (hid_t error_stack_id)) \
    \
    F(hid_t, H5VLregister_connector_by_name, (const char *connector_name, hid_t vipl_id)) \
    F(hid_t, H5VLregister_connector_by_value, (int connector_value, hid_t vipl_id)) \
    F(htri_t, H5VLis_connector_registered_by_name, (const char *name)) \
    F(htri_t, H5VLis_connector_registered_by_value, (int connector_value)) \
    F(hid_t, H5VLget_connector_id, (hid_t obj_id)) \
    F(hid_t, H5VLget_connector_id_by_name, (const char *name)) \
    F(hid_t, H5VLget_connector_id_by_value, (int connector_value)) \
    F(ssize_t, H5VLget_connector_name, (hid_t id, char *name, size_t size)) \
    F(herr_t, H5VLclose, (hid_t connector_id)) \
    F(herr_t, H5VLunregister_connector, (hid_t connector_id)) \
    F(herr_t, H5VLquery_optional, (hid_t obj_id, int subcls, int opt_type, uint64_t *flags)) \
    F(herr_t, H5VLobject_is_native, (hid_t obj_id, bool *is_native)) \
    F(herr_t, H5VLconnector_str_to_info, (const char *str, hid_t connector_id, void **info)) \
    F(herr_t, H5VLconnector_info_to_str, (const void *info, hid_t connector_id, char **str)) \
    F(herr_t, H5VLfree_connector_info, (hid_t connector_id, void *vol_info)) \
    F(herr_t, H5VLcmp_connector_cls, (int *cmp, hid_t connector_id1, hid_t connector_id2)) \
    \
    F(hid_t, H5Pcreate, (hid_t cls_id)) \
    F(herr_t, H5Pclose, (hid_t plist_id)) \
    F(hid_t, H5Pcopy, (hid_t plist_id)) \
    F(htri_t, H5Pequal, (hid_t id1, hid_t id2)) \
    F(herr_t, H5Pset_vol, (hid_t plist_id, hid_t new_vol_id, const void *new_vol_info)) \
    F(herr_t, H5Pget_vol_id, (hid_t plist_id, hid_t *vol_id)) \
    F(herr_t, H5Pget_vol_info, (hid_t plist_id, void **vol_info)) \
    F(herr_t, H5Pget_vol_cap_flags, (hid_t plist_id, uint64_t *cap_flags)) \
    F(char *, H5Pget_class_name, (hid_t pclass_id)) \
    F(herr_t, H5Pset_chunk, (hid_t plist_id, int ndims, const hsize_t dim[])) \
    F(int, H5Pget_chunk, (hid_t plist_id, int max_ndims, hsize_t dim[])) \
    F(herr_t, H5Pset_deflate, (hid_t plist_id, unsigned level)) \
    F(herr_t, H5Pset_shuffle, (hid_t plist_id)) \
    F(herr_t, H5Pset_obj_track_times, (hid_t plist_id, bool track_times)) \
    F(herr_t, H5Pset_fletcher32, (hid_t plist_id)) \
    F(herr_t, H5Pset_fill_value, (hid_t plist_id, hid_t type_id, const void *value)) \
    F(herr_t, H5Pset_layout, (hid_t plist_id, int layout)) \
    F(int, H5Pget_layout, (hid_t plist_id)) \
    F(herr_t, H5Pset_external, (hid_t plist_id, const char *name, long offset, hsize_t size)) \
    F(herr_t, H5Pset_virtual, (hid_t dcpl_id, hid_t vspace_id, const char *src_file_name, const char *src_dset_name, hid_t src_space_id)) \
    F(herr_t, H5Pset_fapl_core, (hid_t fapl_id, size_t increment, bool backing_store)) \
    F(herr_t, H5Pset_fapl_family, (hid_t fapl_id, hsize_t memb_size, hid_t memb_fapl_id)) \
    F(herr_t, H5Pset_fapl_sec2, (hid_t fapl_id)) \
    F(herr_t, H5Pset_fapl_stdio, (hid_t fapl_id)) \
    F(herr_t, H5Pset_libver_bounds, (hid_t plist_id, int low, int high)) \
    F(herr_t, H5Pset_fclose_degree, (hid_t fapl_id, int degree)) \
    F(herr_t, H5Pget_fclose_degree, (hid_t fapl_id, int *degree)) \
    F(herr_t, H5Pset_userblock, (hid_t plist_id, hsize_t size)) \
    F(herr_t, H5Pget_userblock, (hid_t plist_id, hsize_t *size)) \
    F(herr_t, H5Pset_link_creation_order, (hid_t plist_id, unsigned crt_order_flags)) \
    F(herr_t, H5Pset_create_intermediate_group, (hid_t plist_id, unsigned crt_intmd)) \
    F(herr_t, H5Pset_copy_object, (hid_t plist_id, unsigned copy_options)) \
    F(herr_t, H5Pset_sieve_buf_size, (hid_t fapl_id, size_t size)) \
    F(herr_t, H5Pget_sieve_buf_size, (hid_t fapl_id, size_t *size)) \
    F(herr_t, H5Pset_chunk_cache, (hid_t dapl_id, size_t rdcc_nslots, size_t rdcc_nbytes, double rdcc_w0)) \
    F(herr_t, H5Pget_chunk_cache, (hid_t dapl_id, size_t *rdcc_nslots, size_t *rdcc_nbytes, double *rdcc_w0)) \
    F(int, H5Pget_nfilters, (hid_t plist_id)) \
    F(herr_t, H5Pset_elink_prefix, (hid_t plist_id, const char *prefix)) \
    F(herr_t, H5Pset_attr_creation_order, (hid_t plist_id, unsigned crt_order_flags)) \
    F(int, H5Pget_external_count, (hid_t plist_id)) \
    F(herr_t, H5Pget_virtual_count, (hid_t dcpl_id, size_t *count)) \
    F(herr_t, H5Pset_alloc_time, (hid_t plist_id, int alloc_time)) \
    F(hid_t, H5Pget_driver, (hid_t plist_id)) \
    F(herr_t, H5Pset_fill_time, (hid_t plist_id, int fill_time)) \
    F(herr_t, H5Pset_buffer, (hid_t plist_id, size_t size, void *tconv, void *bkg)) \
    F(herr_t, H5Pset_edc_check, (hid_t plist_id, int check)) \
    F(herr_t, H5Pset_filter_callback, (hid_t plist_id, void *func, void *op_data)) \
    F(herr_t, H5Pset_type_conv_cb, (hid_t dxpl_id, void *func, void *op_data)) \
    F(herr_t, H5Pset_data_transform, (hid_t plist_id, const char *expression)) \
    F(herr_t, H5Pset_vlen_mem_manager, (hid_t plist_id, void *alloc, void *alloc_info, void *release, void *free_info)) \
    F(herr_t, H5Pset_hyper_vector_size, (hid_t plist_id, size_t size)) \
    F(herr_t, H5Pset_dataset_io_hyperslab_selection, (hid_t plist_id, unsigned rank, int op, const hsize_t start[], const hsize_t stride[], const hsize_t count[], const hsize_t block[])) \
    F(herr_t, H5Pset_btree_ratios, (hid_t plist_id, double left, double middle, double right)) \
    F(herr_t, H5Pset_efile_prefix, (hid_t dapl_id, const char *prefix)) \
    \
    F(hid_t, H5Fcreate, (const char *filename, unsigned flags, hid_t fcpl_id, hid_t fapl_id)) \
    F(hid_t, H5Fopen, (const char *filename, unsigned flags, hid_t fapl_id)) \
    F(herr_t, H5Fclose, (hid_t file_id)) \
    F(hid_t, H5Freopen, (hid_t file_id)) \
    F(herr_t, H5Fflush, (hid_t object_id, int scope)) \
    F(herr_t, H5Fdelete, (const char *filename, hid_t fapl_id)) \
    F(htri_t, H5Fis_accessible, (const char *container_name, hid_t fapl_id)) \
    F(herr_t, H5Fmount, (hid_t loc_id, const char *name, hid_t child, hid_t plist)) \
    F(herr_t, H5Funmount, (hid_t loc_id, const char *name)) \
    F(ssize_t, H5Fget_name, (hid_t obj_id, char *name, size_t size)) \
    F(herr_t, H5Fget_intent, (hid_t file_id, unsigned *intent)) \
    F(herr_t, H5Fget_filesize, (hid_t file_id, hsize_t *size)) \
    F(herr_t, H5Fget_fileno, (hid_t file_id, unsigned long *fileno)) \
    F(herr_t, H5Fget_vfd_handle, (hid_t file_id, hid_t fapl, void **file_handle)) \
    F(hid_t, H5Fget_access_plist, (hid_t file_id)) \
    F(hid_t, H5Fget_create_plist, (hid_t file_id)) \
    F(ssize_t, H5Fget_obj_count, (hid_t file_id, unsigned types)) \
    F(ssize_t, H5Fget_obj_ids, (hid_t file_id, unsigned types, size_t max_objs, hid_t *obj_id_list)) \
    F(hssize_t, H5Fget_freespace, (hid_t file_id)) \
    F(ssize_t, H5Fget_file_image, (hid_t file_id, void *buf_ptr, size_t buf_len)) \
    F(herr_t, H5Fget_eoa, (hid_t file_id, haddr_t *eoa)) \
    F(herr_t, H5Fget_mdc_size, (hid_t file_id, size_t *max_size_ptr, size_t *min_clean_size_ptr, size_t *cur_size_ptr, int *cur_num_entries_ptr)) \
    F(herr_t, H5Fset_libver_bounds, (hid_t file_id, int low, int high)) \
    F(herr_t, H5Fstart_swmr_write, (hid_t file_id)) \
    F(htri_t, H5Fis_hdf5, (const char *file_name)) \
    \
    F(hid_t, H5Fcreate_async, (const char *app_file, const char *app_func, unsigned app_line, const char *filename, unsigned flags, hid_t fcpl_id, hid_t fapl_id, hid_t es_id)) \
    F(hid_t, H5Fopen_async, (const char *app_file, const char *app_func, unsigned app_line, const char *filename, unsigned flags, hid_t access_plist, hid_t es_id)) \
    F(herr_t, H5Fclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t file_id, hid_t es_id)) \
    F(herr_t, H5Fflush_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t object_id, int scope, hid_t es_id)) \
    F(hid_t, H5Freopen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t file_id, hid_t es_id)) \
    \
    F(hid_t, H5Dcreate2, (hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id, hid_t dapl_id)) \
    F(hid_t, H5Dcreate_anon, (hid_t loc_id, hid_t type_id, hid_t space_id, hid_t dcpl_id, hid_t dapl_id)) \
    F(hid_t, H5Dopen2, (hid_t loc_id, const char *name, hid_t dapl_id)) \
    F(herr_t, H5Dclose, (hid_t dset_id)) \
    F(herr_t, H5Dread, (hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf)) \
    F(herr_t, H5Dwrite, (hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void *buf)) \
    F(herr_t, H5Dread_multi, (size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id, void *buf[])) \
    F(herr_t, H5Dwrite_multi, (size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id, const void *buf[])) \
    F(hid_t, H5Dget_space, (hid_t dset_id)) \
    F(hid_t, H5Dget_type, (hid_t dset_id)) \
    F(hid_t, H5Dget_create_plist, (hid_t dset_id)) \
    F(hid_t, H5Dget_access_plist, (hid_t dset_id)) \
    F(hsize_t, H5Dget_storage_size, (hid_t dset_id)) \
    F(herr_t, H5Dget_space_status, (hid_t dset_id, int *allocation)) \
    F(haddr_t, H5Dget_offset, (hid_t dset_id)) \
    F(herr_t, H5Dset_extent, (hid_t dset_id, const hsize_t size[])) \
    F(herr_t, H5Dflush, (hid_t dset_id)) \
    F(herr_t, H5Drefresh, (hid_t dset_id)) \
    F(herr_t, H5Dget_num_chunks, (hid_t dset_id, hid_t fspace_id, hsize_t *nchunks)) \
    F(herr_t, H5Dget_chunk_info, (hid_t dset_id, hid_t fspace_id, hsize_t chk_idx, hsize_t *offset, unsigned *filter_mask, haddr_t *addr, hsize_t *size)) \
    F(herr_t, H5Dget_chunk_info_by_coord, (hid_t dset_id, const hsize_t *offset, unsigned *filter_mask, haddr_t *addr, hsize_t *size)) \
    F(herr_t, H5Dget_chunk_storage_size, (hid_t dset_id, const hsize_t *offset, hsize_t *chunk_bytes)) \
    F(herr_t, H5Dchunk_iter, (hid_t dset_id, hid_t dxpl_id, H5D_chunk_iter_op_t cb, void *op_data)) \
    F(herr_t, H5Dread_chunk, (hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf)) \
    F(herr_t, H5Dread_chunk1, (hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf)) \
    F(herr_t, H5Dread_chunk2, (hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf, size_t *buf_size)) \
    F(herr_t, H5Dwrite_chunk, (hid_t dset_id, hid_t dxpl_id, uint32_t filters, const hsize_t *offset, size_t data_size, const void *buf)) \
    F(herr_t, H5Dvlen_get_buf_size, (hid_t dset_id, hid_t type_id, hid_t space_id, hsize_t *size)) \
    F(herr_t, H5Dvlen_reclaim, (hid_t type_id, hid_t space_id, hid_t dxpl_id, void *buf)) \
    F(herr_t, H5Dfill, (const void *fill, hid_t fill_type_id, void *buf, hid_t buf_type_id, hid_t space_id)) \
    \
    F(hid_t, H5Dcreate_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t type_id, hid_t space_id, hid_t lcpl_id, hid_t dcpl_id, hid_t dapl_id, hid_t es_id)) \
    F(hid_t, H5Dopen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t dapl_id, hid_t es_id)) \
    F(herr_t, H5Dclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id, hid_t es_id)) \
    F(herr_t, H5Dread_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, void *buf, hid_t es_id)) \
    F(herr_t, H5Dwrite_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id, hid_t mem_type_id, hid_t mem_space_id, hid_t file_space_id, hid_t dxpl_id, const void *buf, hid_t es_id)) \
    F(herr_t, H5Dread_multi_async, (const char *app_file, const char *app_func, unsigned app_line, size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id, void *buf[], hid_t es_id)) \
    F(herr_t, H5Dwrite_multi_async, (const char *app_file, const char *app_func, unsigned app_line, size_t count, hid_t dset_id[], hid_t mem_type_id[], hid_t mem_space_id[], hid_t file_space_id[], hid_t dxpl_id, const void *buf[], hid_t es_id)) \
    F(herr_t, H5Dset_extent_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id, const hsize_t size[], hid_t es_id)) \
    F(hid_t, H5Dget_space_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t dset_id, hid_t es_id)) \
    \
    F(hid_t, H5Gcreate2, (hid_t loc_id, const char *name, hid_t lcpl_id, hid_t gcpl_id, hid_t gapl_id)) \
    F(hid_t, H5Gcreate_anon, (hid_t loc_id, hid_t gcpl_id, hid_t gapl_id)) \
    F(hid_t, H5Gopen2, (hid_t loc_id, const char *name, hid_t gapl_id)) \
    F(herr_t, H5Gclose, (hid_t group_id)) \
    F(herr_t, H5Gget_info, (hid_t loc_id, H5G_info_t *ginfo)) \
    F(hid_t, H5Gget_create_plist, (hid_t group_id)) \
    F(herr_t, H5Gflush, (hid_t group_id)) \
    F(herr_t, H5Grefresh, (hid_t group_id)) \
    F(hid_t, H5Gcreate_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t lcpl_id, hid_t gcpl_id, hid_t gapl_id, hid_t es_id)) \
    F(hid_t, H5Gopen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t gapl_id, hid_t es_id)) \
    F(herr_t, H5Gclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t group_id, hid_t es_id)) \
    F(herr_t, H5Gget_info_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, H5G_info_t *ginfo, hid_t es_id)) \
    F(herr_t, H5Gget_info_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, H5G_info_t *ginfo, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Gget_info_by_idx_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, H5G_info_t *ginfo, hid_t lapl_id, hid_t es_id)) \
    \
    F(herr_t, H5Lcreate_soft, (const char *link_target, hid_t link_loc_id, const char *link_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Lcreate_hard, (hid_t cur_loc, const char *cur_name, hid_t dst_loc, const char *dst_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Lcreate_external, (const char *file_name, const char *obj_name, hid_t link_loc_id, const char *link_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Lcopy, (hid_t src_loc, const char *src_name, hid_t dst_loc, const char *dst_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Lmove, (hid_t src_loc, const char *src_name, hid_t dst_loc, const char *dst_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Ldelete, (hid_t loc_id, const char *name, hid_t lapl_id)) \
    F(herr_t, H5Ldelete_by_idx, (hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, hid_t lapl_id)) \
    F(htri_t, H5Lexists, (hid_t loc_id, const char *name, hid_t lapl_id)) \
    F(herr_t, H5Lget_info2, (hid_t loc_id, const char *name, H5L_info2_t *linfo, hid_t lapl_id)) \
    F(herr_t, H5Lget_val, (hid_t loc_id, const char *name, void *buf, size_t size, hid_t lapl_id)) \
    F(ssize_t, H5Lget_name_by_idx, (hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, char *name, size_t size, hid_t lapl_id)) \
    F(herr_t, H5Literate2, (hid_t grp_id, int idx_type, int order, hsize_t *idx, H5L_iterate2_t op, void *op_data)) \
    F(herr_t, H5Literate_by_name2, (hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t *idx, H5L_iterate2_t op, void *op_data, hid_t lapl_id)) \
    F(herr_t, H5Lvisit2, (hid_t grp_id, int idx_type, int order, H5L_iterate2_t op, void *op_data)) \
    F(herr_t, H5Lunpack_elink_val, (const void *ext_linkval, size_t link_size, unsigned *flags, const char **filename, const char **obj_path)) \
    F(herr_t, H5Lexists_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, bool *exists, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Lcreate_hard_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t cur_loc_id, const char *cur_name, hid_t new_loc_id, const char *new_name, hid_t lcpl_id, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Lcreate_soft_async, (const char *app_file, const char *app_func, unsigned app_line, const char *link_target, hid_t link_loc_id, const char *link_name, hid_t lcpl_id, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Ldelete_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Ldelete_by_idx_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Literate_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t group_id, int idx_type, int order, hsize_t *idx_p, H5L_iterate2_t op, void *op_data, hid_t es_id)) \
    \
    F(hid_t, H5Oopen, (hid_t loc_id, const char *name, hid_t lapl_id)) \
    F(herr_t, H5Oclose, (hid_t object_id)) \
    F(hid_t, H5Oopen_by_token, (hid_t loc_id, H5O_token_t token)) \
    F(hid_t, H5Oopen_by_idx, (hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, hid_t lapl_id)) \
    F(herr_t, H5Ocopy, (hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name, hid_t ocpypl_id, hid_t lcpl_id)) \
    F(herr_t, H5Olink, (hid_t obj_id, hid_t new_loc_id, const char *new_name, hid_t lcpl_id, hid_t lapl_id)) \
    F(herr_t, H5Oget_info3, (hid_t loc_id, H5O_info2_t *oinfo, unsigned fields)) \
    F(herr_t, H5Oget_info_by_name3, (hid_t loc_id, const char *name, H5O_info2_t *oinfo, unsigned fields, hid_t lapl_id)) \
    F(htri_t, H5Oexists_by_name, (hid_t loc_id, const char *name, hid_t lapl_id)) \
    F(herr_t, H5Oset_comment, (hid_t obj_id, const char *comment)) \
    F(ssize_t, H5Oget_comment, (hid_t obj_id, char *comment, size_t bufsize)) \
    F(herr_t, H5Ovisit3, (hid_t obj_id, int idx_type, int order, H5O_iterate2_t op, void *op_data, unsigned fields)) \
    F(herr_t, H5Ovisit_by_name3, (hid_t loc_id, const char *obj_name, int idx_type, int order, H5O_iterate2_t op, void *op_data, unsigned fields, hid_t lapl_id)) \
    F(herr_t, H5Oflush, (hid_t obj_id)) \
    F(herr_t, H5Orefresh, (hid_t oid)) \
    F(herr_t, H5Oincr_refcount, (hid_t object_id)) \
    F(herr_t, H5Odecr_refcount, (hid_t object_id)) \
    F(herr_t, H5Otoken_to_str, (hid_t loc_id, const H5O_token_t *token, char **token_str)) \
    F(herr_t, H5Otoken_from_str, (hid_t loc_id, const char *token_str, H5O_token_t *token)) \
    F(herr_t, H5Otoken_cmp, (hid_t loc_id, const H5O_token_t *token1, const H5O_token_t *token2, int *cmp_value)) \
    F(herr_t, H5Oflush_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t obj_id, hid_t es_id)) \
    F(hid_t, H5Oopen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Oclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t object_id, hid_t es_id)) \
    F(hid_t, H5Oopen_by_idx_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *group_name, int idx_type, int order, hsize_t n, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Oget_info_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, H5O_info2_t *oinfo, unsigned fields, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Ocopy_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t src_loc_id, const char *src_name, hid_t dst_loc_id, const char *dst_name, hid_t ocpypl_id, hid_t lcpl_id, hid_t es_id)) \
    F(herr_t, H5Orefresh_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t oid, hid_t es_id)) \
    \
    F(hid_t, H5Acreate2, (hid_t loc_id, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id, hid_t aapl_id)) \
    F(hid_t, H5Acreate_by_name, (hid_t loc_id, const char *obj_name, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id, hid_t aapl_id, hid_t lapl_id)) \
    F(hid_t, H5Aopen, (hid_t obj_id, const char *attr_name, hid_t aapl_id)) \
    F(hid_t, H5Aopen_by_name, (hid_t loc_id, const char *obj_name, const char *attr_name, hid_t aapl_id, hid_t lapl_id)) \
    F(hid_t, H5Aopen_by_idx, (hid_t loc_id, const char *obj_name, int idx_type, int order, hsize_t n, hid_t aapl_id, hid_t lapl_id)) \
    F(herr_t, H5Aclose, (hid_t attr_id)) \
    F(herr_t, H5Aread, (hid_t attr_id, hid_t type_id, void *buf)) \
    F(herr_t, H5Awrite, (hid_t attr_id, hid_t type_id, const void *buf)) \
    F(herr_t, H5Adelete, (hid_t loc_id, const char *attr_name)) \
    F(herr_t, H5Adelete_by_name, (hid_t loc_id, const char *obj_name, const char *attr_name, hid_t lapl_id)) \
    F(herr_t, H5Arename, (hid_t loc_id, const char *old_name, const char *new_name)) \
    F(herr_t, H5Arename_by_name, (hid_t loc_id, const char *obj_name, const char *old_attr_name, const char *new_attr_name, hid_t lapl_id)) \
    F(htri_t, H5Aexists, (hid_t obj_id, const char *attr_name)) \
    F(htri_t, H5Aexists_by_name, (hid_t obj_id, const char *obj_name, const char *attr_name, hid_t lapl_id)) \
    F(ssize_t, H5Aget_name, (hid_t attr_id, size_t buf_size, char *buf)) \
    F(hid_t, H5Aget_space, (hid_t attr_id)) \
    F(hid_t, H5Aget_type, (hid_t attr_id)) \
    F(hsize_t, H5Aget_storage_size, (hid_t attr_id)) \
    F(herr_t, H5Aiterate2, (hid_t loc_id, int idx_type, int order, hsize_t *idx, H5A_operator2_t op, void *op_data)) \
    F(herr_t, H5Aiterate_by_name, (hid_t loc_id, const char *obj_name, int idx_type, int order, hsize_t *idx, H5A_operator2_t op, void *op_data, hid_t lapl_id)) \
    F(hid_t, H5Acreate_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id, hid_t aapl_id, hid_t es_id)) \
    F(herr_t, H5Awrite_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t attr_id, hid_t type_id, const void *buf, hid_t es_id)) \
    F(herr_t, H5Aread_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t attr_id, hid_t dtype_id, void *buf, hid_t es_id)) \
    F(herr_t, H5Aclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t attr_id, hid_t es_id)) \
    F(hid_t, H5Acreate_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *obj_name, const char *attr_name, hid_t type_id, hid_t space_id, hid_t acpl_id, hid_t aapl_id, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Aexists_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t obj_id, const char *attr_name, bool *exists, hid_t es_id)) \
    F(herr_t, H5Aexists_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *obj_name, const char *attr_name, bool *exists, hid_t lapl_id, hid_t es_id)) \
    F(hid_t, H5Aopen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t obj_id, const char *attr_name, hid_t aapl_id, hid_t es_id)) \
    F(hid_t, H5Aopen_by_idx_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *obj_name, int idx_type, int order, hsize_t n, hid_t aapl_id, hid_t lapl_id, hid_t es_id)) \
    F(hid_t, H5Aopen_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *obj_name, const char *attr_name, hid_t aapl_id, hid_t lapl_id, hid_t es_id)) \
    F(herr_t, H5Arename_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *old_name, const char *new_name, hid_t es_id)) \
    F(herr_t, H5Arename_by_name_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *obj_name, const char *old_attr_name, const char *new_attr_name, hid_t lapl_id, hid_t es_id)) \
    \
    F(hid_t, H5Tcopy, (hid_t type_id)) \
    F(hid_t, H5Tcreate, (int type, size_t size)) \
    F(herr_t, H5Tinsert, (hid_t parent_id, const char *name, size_t offset, hid_t member_id)) \
    F(herr_t, H5Tclose, (hid_t type_id)) \
    F(herr_t, H5Tcommit2, (hid_t loc_id, const char *name, hid_t type_id, hid_t lcpl_id, hid_t tcpl_id, hid_t tapl_id)) \
    F(herr_t, H5Tcommit_anon, (hid_t loc_id, hid_t type_id, hid_t tcpl_id, hid_t tapl_id)) \
    F(hid_t, H5Topen2, (hid_t loc_id, const char *name, hid_t tapl_id)) \
    F(htri_t, H5Tcommitted, (hid_t type_id)) \
    F(htri_t, H5Tequal, (hid_t type1_id, hid_t type2_id)) \
    F(int, H5Tget_class, (hid_t type_id)) \
    F(size_t, H5Tget_size, (hid_t type_id)) \
    F(herr_t, H5Tset_size, (hid_t type_id, size_t size)) \
    F(hid_t, H5Tvlen_create, (hid_t base_id)) \
    F(hid_t, H5Tarray_create2, (hid_t base_id, unsigned ndims, const hsize_t dim[])) \
    F(hid_t, H5Tenum_create, (hid_t base_id)) \
    F(herr_t, H5Tenum_insert, (hid_t type, const char *name, const void *value)) \
    F(herr_t, H5Treclaim, (hid_t type_id, hid_t space_id, hid_t plist_id, void *buf)) \
    F(hid_t, H5Tget_create_plist, (hid_t type_id)) \
    F(herr_t, H5Tflush, (hid_t type_id)) \
    F(herr_t, H5Trefresh, (hid_t type_id)) \
    F(herr_t, H5Tcommit_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t type_id, hid_t lcpl_id, hid_t tcpl_id, hid_t tapl_id, hid_t es_id)) \
    F(hid_t, H5Topen_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t loc_id, const char *name, hid_t tapl_id, hid_t es_id)) \
    F(herr_t, H5Tclose_async, (const char *app_file, const char *app_func, unsigned app_line, hid_t type_id, hid_t es_id)) \
    F(int, H5Tget_nmembers, (hid_t type_id)) \
    F(herr_t, H5Tset_precision, (hid_t type_id, size_t prec)) \
    F(herr_t, H5Tset_cset, (hid_t type_id, int cset)) \
    F(htri_t, H5Tis_variable_str, (hid_t type_id)) \
    \
    F(hid_t, H5Screate, (int type)) \
    F(hid_t, H5Screate_simple, (int rank, const hsize_t dims[], const hsize_t maxdims[])) \
    F(herr_t, H5Sclose, (hid_t space_id)) \
    F(herr_t, H5Sselect_hyperslab, (hid_t space_id, int op, const hsize_t start[], const hsize_t stride[], const hsize_t count[], const hsize_t block[])) \
    F(herr_t, H5Sselect_elements, (hid_t space_id, int op, size_t num_elem, const hsize_t *coord)) \
    F(herr_t, H5Sselect_all, (hid_t spaceid)) \
    F(herr_t, H5Sselect_none, (hid_t spaceid)) \
    F(herr_t, H5Soffset_simple, (hid_t space_id, const hssize_t *offset)) \
    F(int, H5Sget_simple_extent_ndims, (hid_t space_id)) \
    F(int, H5Sget_simple_extent_dims, (hid_t space_id, hsize_t dims[], hsize_t maxdims[])) \
    F(hssize_t, H5Sget_simple_extent_npoints, (hid_t space_id)) \
    F(hssize_t, H5Sget_select_npoints, (hid_t spaceid)) \
    F(herr_t, H5Sget_select_bounds, (hid_t spaceid, hsize_t start[], hsize_t end[])) \
    F(int, H5Sget_select_type, (hid_t spaceid)) \
    \
    F(herr_t, H5Rcreate, (void *ref, hid_t loc_id, const char *name, int ref_type, hid_t space_id)) \
    F(herr_t, H5Rcreate_object, (hid_t loc_id, const char *name, hid_t oapl_id, H5R_ref_t *ref_ptr)) \
    F(herr_t, H5Rcreate_region, (hid_t loc_id, const char *name, hid_t space_id, hid_t oapl_id, H5R_ref_t *ref_ptr)) \
    F(herr_t, H5Rcreate_attr, (hid_t loc_id, const char *name, const char *attr_name, hid_t oapl_id, H5R_ref_t *ref_ptr)) \
    F(herr_t, H5Rdestroy, (H5R_ref_t *ref_ptr)) \
    F(hid_t, H5Ropen_object, (H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id)) \
    F(hid_t, H5Ropen_region, (H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id)) \
    F(hid_t, H5Ropen_attr, (H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t aapl_id)) \
    F(hid_t, H5Rdereference2, (hid_t obj_id, hid_t oapl_id, int ref_type, const void *ref)) \
    F(hid_t, H5Rget_region, (hid_t dataset, int ref_type, const void *ref)) \
    F(herr_t, H5Rget_obj_type2, (hid_t id, int ref_type, const void *ref, int *obj_type)) \
    F(herr_t, H5Rget_obj_type3, (H5R_ref_t *ref_ptr, hid_t rapl_id, int *obj_type)) \
    F(ssize_t, H5Rget_name, (hid_t loc_id, int ref_type, const void *ref, char *name, size_t size)) \
    F(ssize_t, H5Rget_obj_name, (H5R_ref_t *ref_ptr, hid_t rapl_id, char *name, size_t size)) \
    F(ssize_t, H5Rget_file_name, (const H5R_ref_t *ref_ptr, char *name, size_t size)) \
    F(int, H5Rget_type, (const H5R_ref_t *ref_ptr)) \
    F(htri_t, H5Requal, (const H5R_ref_t *ref1_ptr, const H5R_ref_t *ref2_ptr)) \
    F(herr_t, H5Rcopy, (const H5R_ref_t *src_ref_ptr, H5R_ref_t *dst_ref_ptr)) \
    F(ssize_t, H5Rget_attr_name, (const H5R_ref_t *ref_ptr, char *name, size_t size)) \
    F(hid_t, H5Ropen_object_async, (const char *app_file, const char *app_func, unsigned app_line, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id, hid_t es_id)) \
    F(hid_t, H5Ropen_region_async, (const char *app_file, const char *app_func, unsigned app_line, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t oapl_id, hid_t es_id)) \
    F(hid_t, H5Ropen_attr_async, (const char *app_file, const char *app_func, unsigned app_line, H5R_ref_t *ref_ptr, hid_t rapl_id, hid_t aapl_id, hid_t es_id)) \
    \
    F(int, H5Iget_type, (hid_t id)) \
    F(ssize_t, H5Iget_name, (hid_t id, char *name, size_t size)) \
    F(hid_t, H5Iget_file_id, (hid_t id)) \
    F(int, H5Iget_ref, (hid_t id)) \
    F(int, H5Iinc_ref, (hid_t id)) \
    F(int, H5Idec_ref, (hid_t id)) \
    F(htri_t, H5Iis_valid, (hid_t id)) \
    F(herr_t, H5Inmembers, (int type, hsize_t *num_members)) \
    \
    F(hid_t, H5EScreate, (void)) \
    F(herr_t, H5ESwait, (hid_t es_id, uint64_t timeout, size_t *num_in_progress, bool *err_occurred)) \
    F(herr_t, H5ESclose, (hid_t es_id)) \
    F(herr_t, H5ESget_count, (hid_t es_id, size_t *count)) \
    F(herr_t, H5EScancel, (hid_t es_id, size_t *num_not_canceled, bool *err_occurred)) \
    F(herr_t, H5ESget_err_status, (hid_t es_id, bool *err_occurred)) \
    F(herr_t, H5ESget_err_count, (hid_t es_id, size_t *num_errs)) \
    F(herr_t, H5ESget_err_info, (hid_t es_id, size_t num_err_info, H5ES_err_info_t err_info[], size_t *err_cleared)) \
    F(herr_t, H5ESget_requests, (hid_t es_id, int order, hid_t *connector_ids, void **requests, size_t array_len, size_t *count)) \
    F(herr_t, H5ESregister_insert_func, (hid_t es_id, H5ES_event_insert_func_t func, void *ctx)) \
    F(herr_t, H5ESregister_complete_func, (hid_t es_id, H5ES_event_complete_func_t func, void *ctx)) 

/* The ids libhdf5 exports as variables. They are -1 until H5open, and change over H5close + H5open. */
#define H5_VARIABLES(V) \
    V(H5T_NATIVE_INT_g) V(H5T_NATIVE_SHORT_g) V(H5T_NATIVE_DOUBLE_g) V(H5T_NATIVE_FLOAT_g) \
    V(H5T_NATIVE_UCHAR_g) V(H5T_NATIVE_LLONG_g) V(H5T_STD_I32BE_g) V(H5T_STD_I64LE_g) V(H5T_IEEE_F64BE_g) \
    V(H5T_STD_I32LE_g) V(H5T_IEEE_F64LE_g) \
    V(H5T_C_S1_g) V(H5T_STD_REF_g) V(H5T_STD_REF_OBJ_g) V(H5T_STD_REF_DSETREG_g) \
    V(H5P_CLS_FILE_ACCESS_ID_g) V(H5P_CLS_FILE_CREATE_ID_g) V(H5P_CLS_DATASET_CREATE_ID_g) \
    V(H5P_CLS_DATASET_ACCESS_ID_g) V(H5P_CLS_DATASET_XFER_ID_g) V(H5P_CLS_GROUP_CREATE_ID_g) \
    V(H5P_CLS_LINK_CREATE_ID_g) V(H5P_CLS_LINK_ACCESS_ID_g) V(H5P_CLS_OBJECT_COPY_ID_g)
/* clang-format on */

#endif
